import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { isOrderRef } from '../functions/shared/intake-key.ts';
import type { WaitingFor } from '../functions/shared/order-record.ts';
import { abort } from './abort.ts';
import { type Connection, type ConnectionOptions, connect, place } from './connection.ts';
import { sentenceFor } from './failure.ts';
import { addLegacyCommands } from './legacy-program.ts';
import { list, PARTIES } from './list.ts';
import type { Answer } from './refusal.ts';
import { resolve } from './resolve.ts';
import { retry } from './retry.ts';
import { show } from './show.ts';
import { capitalized, plain } from './text.ts';

/** Where a run writes to; each text ends with its line. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
}

const DONE = 0;
const REFUSED = 1;
const USAGE = 2;

const HELP = `
Exit codes:
  0  done
  1  refused, not found, or AWS could not be asked: one sentence on standard error says why
  2  the command line itself is wrong

On AWS the usual environment of the AWS SDK counts (AWS_PROFILE, AWS_REGION, …). docs/operations.md says what to type when.`;

/** Runs one command line (without node and script); answers its exit code. */
export async function run(args: string[], streams: Streams): Promise<number> {
  const program = createProgram(streams);
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return DONE;
    const usage = error instanceof CommanderError;
    const sentence = usage ? usageSentence(error) : sentenceFor(error, place(program.opts()));
    streams.err(args.includes('--json') ? `${JSON.stringify({ error: sentence })}\n` : `${plain(sentence)}\n`);
    return usage ? USAGE : REFUSED;
  }
}

function createProgram(streams: Streams): Command {
  const program = new Command('loan-orders')
    .description('Look at business-loan orders and repair them.')
    .addOption(new Option('--stage <stage>', 'whose orders').choices(['test', 'prod', 'local']).default('test'))
    .addOption(new Option('--local', "the laptop's embedded AWS (npm start)").implies({ stage: 'local' }))
    .addOption(
      new Option('--endpoint <url>', "the laptop's AWS, where it is not http://127.0.0.1:4566; implies --local")
        .argParser(address)
        .implies({ local: true, stage: 'local' }),
    )
    .option('--json', 'JSON on standard output, and errors as {"error"} on standard error')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: () => undefined, outputError: () => undefined });
  const perform = async (work: (options: ConnectionOptions) => Promise<Answer>) => {
    const options = program.opts<ConnectionOptions & { json?: true }>();
    const { lines, json } = await work(options);
    streams.out(options.json ? `${JSON.stringify(json, undefined, 2)}\n` : `${lines.join('\n')}\n`);
  };
  addCommands(program, (work) => perform(async (options) => work(await connect(options))));
  addLegacyCommands(program, perform);
  return program;
}

type Perform = (work: (connection: Connection) => Promise<Answer>) => Promise<void>;

function addCommands(program: Command, perform: Perform): void {
  program
    .command('list')
    .description('the orders, the newest change first')
    .option('--status <status>', "only those with this status (the service's word, or RECEIVED)")
    .addOption(new Option('--waiting-for <party>', 'only those that wait for it').choices(PARTIES))
    .action((filter: { status?: string; waitingFor?: WaitingFor }) =>
      perform((connection) => list(connection, filter)),
    );
  const ofOrder = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<orderRef>', 'your reference of the order', orderReference);
  ofOrder('show', 'one order: status, executions, failure, operations, timeline').action((orderRef: string) =>
    perform((connection) => show(connection, orderRef)),
  );
  ofOrder('retry', 'start the next execution of an order whose last one has ended').action((orderRef: string) =>
    perform((connection) => retry(connection, orderRef)),
  );
  ofOrder('resolve', 'say what became of a creation whose outcome is unknown (OutcomeUnknown)')
    .addOption(
      new Option('--order-id <orderId>', 'the service has the order, under this orderId')
        .argParser((text) => text.trim())
        .conflicts('notCreated'),
    )
    .option('--not-created', 'the service does not have the order')
    .action((orderRef: string, { orderId, notCreated }: { orderId?: string; notCreated?: true }, command: Command) => {
      if (!orderId && !notCreated) command.error('error: say either --order-id <orderId> or --not-created');
      return perform((connection) => resolve(connection, orderRef, orderId));
    });
  ofOrder('abort', 'stop the execution that drives an order; a retry goes on from there').action((orderRef: string) =>
    perform((connection) => abort(connection, orderRef)),
  );
}

function orderReference(text: string): string {
  if (isOrderRef(text)) return text;
  throw new InvalidArgumentError('It is no orderRef: 1-64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit.');
}

function address(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new InvalidArgumentError('It is no http:// address.');
}

function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help')
    return 'Name a command: list, show, retry, resolve, abort or legacy (see loan-orders --help).';
  const problem = message.replace(/^error: /, '').replaceAll(/\s+/g, ' ');
  return `${capitalized(problem.replace(/\.$/, ''))} (see loan-orders --help).`;
}
