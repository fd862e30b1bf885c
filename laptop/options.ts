import { parseArgs } from 'node:util';
import { PORTS_HELP } from './ports.ts';

export const HELP = `npm start -- [--stage <stage>] [--once] [--no-signer] [--events] [--port <port>] [--simulator-port <port>]
npm start -- --service <url> [--authorization <url>] [--token-path <path>] [--sign] [--stage <stage>] [--events] [--port <port>]

Runs the order workflow on this machine, without an AWS account. It starts the synthesized stack in an embedded AWS, a
simulator of the order service, and a signer for the partner. It uploads the packages of examples/; one of them waits for you.

  --stage <stage>          the stage, of the folder that LOAN_ORDERS_STAGES names (default: local)
  --once                   end when every example has reached its end in examples/README.md (the one that you sign ends
                           when it waits for you)
  --no-signer              leave every signature to you
  --events                 print each event of the orders as a line, as others get it from the event bus
${PORTS_HELP}
With --service, the laptop uses another order service instead of the simulator. It uploads no examples, and you sign. It reads
the credentials from LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET, and LOAN_ORDERS_SCOPE if you were given one.

  --service <url>          address of the order API, without /v1
  --authorization <url>    address of the authorization service (default: the address of the order API)
  --token-path <path>      path of the token endpoint on the authorization service (default: /oauth2/token)
  --sign                   sign each document with a key that is made for this run
`;

export type Options = ReturnType<typeof readOptions>;

export interface LaptopProgram {
  args: string[];
  help: string;
  load(): Promise<{ runLaptop(options: Options, stopped: AbortSignal): Promise<number> }>;
}

export function readOptions(args: string[]) {
  const [flag, text] = [{ type: 'boolean', default: false } as const, { type: 'string' } as const];
  const flags = { once: flag, help: flag, sign: flag, events: flag, 'no-signer': flag };
  const texts = { stage: text, port: text, 'simulator-port': text, service: text };
  const { values } = parseArgs({ args, options: { ...flags, ...texts, authorization: text, 'token-path': text } });
  refuseTogether(values);
  return {
    ...values,
    awsPort: readPort('port', values.port),
    simulatorPort: readPort('simulator-port', values['simulator-port']),
    tokenPath: values['token-path'],
    isPersonSigning: values['no-signer'],
  };
}

const WITHOUT_SERVICE = ['once', 'simulator-port', 'no-signer'];
const WITH_SERVICE = ['authorization', 'token-path', 'sign'];

function refuseTogether(values: Record<string, string | boolean | undefined>): void {
  if (values.once && values['no-signer'])
    throw new Error('--no-signer cannot be used with --once, which waits for nobody.');
  const given = (names: string[]) => names.find((name) => values[name] !== undefined && values[name] !== false);
  const wrong = given(values.service === undefined ? WITH_SERVICE : WITHOUT_SERVICE);
  if (wrong === undefined) return;
  throw new Error(
    values.service === undefined
      ? `--${wrong} needs --service <url>.`
      : `--${wrong} cannot be used with --service, which uploads no examples and starts no simulator.`,
  );
}

function readPort(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new Error(`--${name} must be a port number, 0 to 65535.`);
}
