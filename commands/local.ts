import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Options } from '../laptop/options.ts';
import type { AddCommand } from './shared/arguments.ts';
import { acceptClosedPipe } from './shared/closed-pipe.ts';
import { LAPTOP_PORT } from './shared/place.ts';
import { refuseInOneFile } from './shared/project.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

const LOCAL_HELP = `
It starts the synthesized stack in an embedded AWS, a simulator of the order service, and a signer for the partner, without an AWS
account. It uploads the packages of examples/; one of them waits for you.

With --service, it uses another order service instead of the simulator, uploads no examples, and you sign. It reads the
credentials from LOAN_ORDERS_CLIENT_ID and LOAN_ORDERS_CLIENT_SECRET, and LOAN_ORDERS_SCOPE if you were given one.`;

const WITH_SERVICE = { authorization: '--authorization', tokenPath: '--token-path', sign: '--sign' } as const;

export const addLocal: AddCommand = (program, perform) =>
  program
    .command('local')
    .description('run everything on this machine: the "laptop"; --stage names another stage than local')
    .addOption(
      new Option(
        '--once',
        'end when every example has reached its end in examples/README.md (the one that you sign ends when it waits for you)',
      ).conflicts(['signer', 'service']),
    )
    .addOption(new Option('--no-signer', 'leave every signature to you').conflicts('service'))
    .option('--events', 'print each event of the orders as a line, as others get it from the event bus')
    .option('--port <port>', `port of the embedded AWS (default: ${LAPTOP_PORT}, or any if it is in use)`, parsePort)
    .addOption(
      new Option('--simulator-port <port>', 'port of the simulator (default: 4010, or any if it is in use)')
        .argParser(parsePort)
        .conflicts('service'),
    )
    .option('--service <url>', 'address of the order API, without /v1')
    .option('--authorization <url>', 'address of the authorization service (default: that of the order API)')
    .option('--token-path <path>', 'path of the token endpoint there (default: /oauth2/token)')
    .option('--sign', 'sign each document with a key that is made for this run')
    .addHelpText('after', LOCAL_HELP)
    .action((options: Options, self: Command) => {
      const needing = Object.entries(WITH_SERVICE).find(([name]) => options[name as keyof typeof WITH_SERVICE]);
      if (needing && options.service === undefined) self.error(`error: ${needing[1]} needs --service <url>`);
      const isNamed = program.getOptionValueSource('stage') === 'cli';
      return perform(({ stage }) => local({ ...options, ...(isNamed && { stage }) }), 'here');
    });

/** Runs until it ends by itself or is stopped. Its exit code says whether it ended as it should. */
async function local(options: Options): Promise<CommandResult> {
  refuseInOneFile('run the laptop');
  const stopped = new AbortController();
  const stop = () => stopped.abort();
  acceptClosedPipe(stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const { runLaptop } = await import('../laptop/run-laptop.ts');
  try {
    return { lines: [], json: undefined, exitCode: await runLaptop(options, stopped.signal) };
  } catch (error) {
    if (error !== stopped.signal.reason) throw new Refusal((error as Error).message);
    return { lines: ['Stopped.'], json: undefined, exitCode: options.once ? 1 : 0 };
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (text !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be a port number, 0 to 65535.');
}
