import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addConsole, addRehearse, addSimulatorCommand, addStageCommands } from './machine-commands.ts';
import { addDataCommands, addLookCommands, addOperatorCommands } from './operator-commands.ts';
import { addPackageCommands, addPartnerCommands } from './partner-commands.ts';
import { address, type Perform, stageName } from './shared/arguments.ts';
import { failureOf } from './shared/failure.ts';
import { laptopPlace } from './shared/laptops.ts';
import { inPlace, optionsOf, type PlaceOptions, place } from './shared/place.ts';
import { capitalized, jsonText, plain } from './shared/text.ts';

/** Where a run writes its output. Each text ends with a line break. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
}

const DONE = 0;
const USAGE = 2;

const HELP = `
Exit codes:
  0  done
  1  refused, not found, or AWS could not be reached; standard error gives the
     reason. lint, submit: the package has problems. doctor: something is not in
     order. replay: a read differs
  2  the command line is wrong. replay: no read differs, but something could not
     be replayed
  3  rule --test: a human must choose
  4  the command itself failed: please report it
  130  ended with Ctrl-C or Esc: at a question, nothing was done;
       while a command works, what it says counts

With LOAN_ORDERS_STAGE=local, or =prod, commands need no --local or --stage.
On AWS, credentials and region come from the usual SDK environment (AWS_PROFILE,
AWS_REGION, …).
docs/operations.md describes when to use which command.`;

/** Runs one command line (without node and script) and returns its exit code. */
export async function run(args: string[], streams: Streams): Promise<number> {
  let code = DONE;
  const program = await createProgram(streams, (exitCode) => {
    code = exitCode;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return DONE;
    const { sentence, exitCode } =
      error instanceof CommanderError
        ? { sentence: usageSentence(error), exitCode: USAGE }
        : failureOf(error, place(program.opts()));
    const said = inPlace(sentence, typedPlace(program));
    streams.err(args.includes('--json') ? `${JSON.stringify({ error: said })}\n` : `${plain(said)}\n`);
    return exitCode;
  }
}

/** A built file names the commit that it was built from: scripts/build-command-line.ts puts it in. */
function versionLine(commit = process.env.LOAN_ORDERS_COMMIT): string {
  return `loan-orders ${manifest.version}${commit ? ` (commit ${commit})` : ''}`;
}

async function createProgram(streams: Streams, end: (exitCode: number) => void): Promise<Command> {
  const program = new Command('loan-orders')
    .description('Submit, sign, decide on, inspect and repair business-loan orders.')
    .addOption(
      new Option('--stage <stage>', 'the stage; by default that of LOAN_ORDERS_STAGE, or test')
        .argParser(stageName)
        .default(process.env.LOAN_ORDERS_STAGE || 'test'),
    )
    .addOption(
      new Option('--local', 'the laptop that is running (npm start); with --stage, the one with that stage').implies({
        stage: 'local',
      }),
    )
    .addOption(
      new Option('--endpoint <url>', "address of the laptop's AWS, if several laptops are running; implies --local")
        .argParser(address)
        .implies({ local: true, stage: 'local' }),
    )
    .version(versionLine(), '--version', 'print the version')
    .option('--json', 'print JSON on standard output, and errors as {"error"} on standard error')
    .addHelpText('after', HELP)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: () => undefined, outputError: () => undefined });
  const perform: Perform = async (work, where = 'stage') => {
    const typed = where === 'here' ? [] : typedPlace(program);
    if (where !== 'here') await findLaptop(program);
    const options = program.opts<PlaceOptions & { json?: true }>();
    const say = (line: string) => streams.out(`${inPlace(line, typed)}\n`);
    const print = options.json ? undefined : say;
    const pauseNotice =
      where === 'stage' ? import('./shared/tell-pause.ts').then((it) => it.tellPause(options, streams)) : undefined;
    const { lines, json, exitCode = DONE } = await work(options, print).finally(() => pauseNotice);
    if (options.json) streams.out(`${jsonText(json)}\n`);
    else lines.forEach(say);
    end(exitCode);
  };
  program.commandsGroup('Packages, such as "loan-orders submit my-order":');
  addPackageCommands(program, perform);
  program.commandsGroup('Signatures and offers, such as "loan-orders confirm my-order":');
  addPartnerCommands(program, perform);
  program.commandsGroup('Look, such as "loan-orders list --waiting-for operator":');
  addLookCommands(program, perform);
  addConsole(program, perform);
  program.commandsGroup('Repair, such as "loan-orders retry --failure Unauthorized":');
  addOperatorCommands(program, perform);
  program.commandsGroup('Data, such as "loan-orders evidence my-order":');
  addDataCommands(program, perform);
  program.commandsGroup('Your machine, such as "loan-orders stage explain prod":').helpCommand(true);
  (await import('../bank-exchange/commands/program.ts')).addExchangeCommands(program, perform); // bank-exchange
  addSimulatorCommand(program, perform);
  addStageCommands(program, perform);
  addRehearse(program, perform);
  return program;
}

/** The options of the place that were typed: the commands that an answer names need the same ones. */
function typedPlace(program: Command): string[] {
  const given = Object.entries(program.opts()).filter(([name]) => program.getOptionValueSource(name) === 'cli');
  return optionsOf(Object.fromEntries(given));
}

/** `--local`, or LOAN_ORDERS_STAGE=local, without an address means the laptop that runs. */
async function findLaptop(program: Command): Promise<void> {
  if (program.getOptionValueSource('stage') === 'default' && program.opts<PlaceOptions>().stage === 'local')
    program.setOptionValue('local', true);
  const { local, endpoint, stage } = program.opts<PlaceOptions>();
  if (!local) return;
  const named = program.getOptionValueSource('stage') === 'cli' && { stage };
  const found = await laptopPlace({ ...(endpoint !== undefined && { endpoint }), ...named });
  for (const [option, value] of Object.entries(found))
    program.setOptionValueWithSource(option, value, program.getOptionValueSource(option) ?? 'found');
}

function usageSentence({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Give a command, for example list or show (see loan-orders --help).';
  const problem = message.replace(/^error: /, '').replaceAll(/\s+/g, ' ');
  return `${capitalized(problem.replace(/\.$/, ''))} (see loan-orders --help).`;
}
