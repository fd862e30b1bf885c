import { parseArgs } from 'node:util';

export const HELP = `npm start -- [--once] [--legacy] [--port <port>] [--simulator-port <port>]
npm start -- --service <url> [--authorization <url>] [--token-path <path>] [--sign] [--port <port>]

Runs the order workflow on this machine, without an AWS account: the synthesized stack in an embedded AWS, the order
service's simulator, a signer that plays the partner, and the packages of examples/, of which one waits for you.

  --once                   end when every example has reached the end that examples/README.md names (one that a person signs is left
                           where it waits for that), or when the bank exchange has done all that it should
  --legacy                 the obsolete bank exchange instead: its stack alone, a bank, and users who leave requests
  --port <port>            port of the embedded AWS (default 4566, or any free one when that is taken)
  --simulator-port <port>  port of the order service's simulator (default 4010, or any free one when that is taken)

With --service it talks to the order service that is named instead of the simulator. No examples are uploaded, and you sign. The credentials
are read from LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET, and LOAN_ORDERS_SCOPE if you were given one.

  --service <url>          address of the order API, without /v1
  --authorization <url>    address of the authorization service (default: that of the order API)
  --token-path <path>      path of the token endpoint below it (default /oauth2/token)
  --sign                   sign each document with a key that is made for this run
`;

export type Options = ReturnType<typeof readOptions>;

/** @throws Error with one sentence for the person at the command line. */
export function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      once: { type: 'boolean', default: false },
      legacy: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      port: { type: 'string' },
      'simulator-port': { type: 'string' },
      service: { type: 'string' },
      authorization: { type: 'string' },
      'token-path': { type: 'string' },
      sign: { type: 'boolean', default: false },
    },
  });
  refuseTogether(values);
  return {
    once: values.once,
    legacy: values.legacy,
    help: values.help,
    awsPort: readPort('port', values.port),
    simulatorPort: readPort('simulator-port', values['simulator-port']),
    service: values.service,
    authorization: values.authorization,
    tokenPath: values['token-path'],
    sign: values.sign,
  };
}

const WITHOUT_SERVICE = ['once', 'legacy', 'simulator-port'];
const WITH_SERVICE = ['authorization', 'token-path', 'sign'];

function refuseTogether(values: Record<string, string | boolean | undefined>): void {
  const given = (names: string[]) => names.find((name) => values[name] !== undefined && values[name] !== false);
  const wrong = given(values.service === undefined ? WITH_SERVICE : WITHOUT_SERVICE);
  if (wrong === undefined) return;
  throw new Error(
    values.service === undefined
      ? `--${wrong} goes with --service <url> only.`
      : `--${wrong} does not go with --service, which uploads no examples and starts no simulator.`,
  );
}

function readPort(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--${name} must be a port number, 0 to 65535.`);
}
