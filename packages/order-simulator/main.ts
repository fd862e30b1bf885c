import { parseArgs } from 'node:util';
import type { Simulator } from './index.ts';

const help = `Usage: node packages/order-simulator/main.ts [--port <number>]

Serves the simulated order service on 127.0.0.1 until Ctrl-C. The default port is any free one.`;

function portFrom(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new Error(`--port must be a number from 0 to 65535, not "${text}".`);
}

async function introduction({ url, authorizationUrl, switchesUrl, settings }: Simulator): Promise<string> {
  const { scenarioNames } = await import('./scenarios.ts');
  const { clientId, clientSecret } = settings;
  const token =
    `$(curl -s ${authorizationUrl}/oauth2/token -d grant_type=client_credentials ` +
    `-d client_id=${clientId} -d client_secret=${clientSecret} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return `Order service (simulated)
  base_url       ${url}
  auth_url       ${authorizationUrl}
  client_id      ${clientId}
  client_secret  ${clientSecret}
  scenarios      ${scenarioNames.join(', ')}
  calls so far   ${url}/simulator/calls
  switches       ${switchesUrl}

Practise an outage (docs/operations.md):
  npx loan-orders simulator down --simulator ${switchesUrl}

Create an order:
  curl -s ${url}/v1/orders -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '{"inn":"7707083893"}'
`;
}

/** The simulator is imported here, not above, so wrong options are refused at once. */
async function start(port: number): Promise<Simulator> {
  const { startSimulator } = await import('./index.ts');
  try {
    return await startSimulator({ port, switches: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw new Error(`Port ${port} is in use. Choose another with --port.`, { cause: error });
    if (code === 'EACCES')
      throw new Error(`Port ${port} needs more permissions. Choose another with --port.`, { cause: error });
    throw error;
  }
}

try {
  const { values } = parseArgs({ options: { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(help);
  } else {
    const simulator = await start(portFrom(values.port));
    console.log(await introduction(simulator));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => simulator.close());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
