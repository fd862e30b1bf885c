import { Command, CommanderError, Option } from 'commander';
import { addExchangeCommands } from '../bank-exchange/commands/program.ts'; // bank-exchange
import manifest from '../package.json' with { type: 'json' };
import { addAbort } from './abort.ts';
import { addConfirm } from './confirm.ts';
import { addConsole } from './console.ts';
import { addDeploy } from './deploy.ts';
import { addDismiss } from './dismiss.ts';
import { addDoctor } from './doctor.ts';
import { addDocuments } from './documents.ts';
import { addErase } from './erase.ts';
import { addEvidence } from './evidence.ts';
import { addHold } from './hold.ts';
import { addLint } from './lint.ts';
import { addList } from './list.ts';
import { addLocal } from './local.ts';
import { addMigrate } from './migrate.ts';
import { addOffers } from './offers.ts';
import { addPause } from './pause.ts';
import { addRehearse } from './rehearse.ts';
import { addRelist } from './relist.ts';
import { addReplay } from './replay.ts';
import { addReport } from './report.ts';
import { addResolve } from './resolve.ts';
import { addRestored } from './restored.ts';
import { addResume } from './resume.ts';
import { addRetry } from './retry.ts';
import { addRule } from './rule.ts';
import { type AddCommand, type Perform, parseAddress, stageName } from './shared/arguments.ts';
import { commandFailure } from './shared/failure.ts';
import { laptopPlace } from './shared/laptops.ts';
import { printPause } from './shared/pause.ts';
import { inPlace, optionsOf, type PlaceOptions, place } from './shared/place.ts';
import { capitalized, jsonText, plain, printable } from './shared/text.ts';
import { addShow } from './show.ts';
import { addSign } from './sign.ts';
import { addSimulator } from './simulator.ts';
import { addStage } from './stage/explain.ts';
import { addSubmit } from './submit.ts';
import { addUploadLink } from './upload-link.ts';
import { addVersions } from './versions.ts';
import { addWatch } from './watch.ts';

/** The output of a run. Each text ends with a line break. */
export interface Streams {
  out(text: string): void;
  err(text: string): void;
}

/** In the order of the help text. */
const COMMANDS: [title: string, ...commands: AddCommand[]][] = [
  ['Packages, such as "loan-orders submit my-order":', addLint, addSubmit, addUploadLink],
  [
    'Signatures and offers, such as "loan-orders confirm my-order":',
    addDocuments,
    addSign,
    addOffers,
    addConfirm,
    addRule,
  ],
  ['Look, such as "loan-orders list --stuck":', addList, addReport, addDoctor, addShow, addWatch, addConsole],
  [
    'Repair, such as "loan-orders retry --failure Unauthorized":',
    addRetry,
    addAbort,
    addMigrate,
    addResolve,
    addDismiss,
    addPause,
    addResume,
    addRestored,
    addRelist,
    addVersions,
  ],
  ['Data, such as "loan-orders evidence my-order":', addHold, addErase, addEvidence, addReplay],
  [
    'Your machine, such as "loan-orders local":',
    (program) => program.helpCommand(true),
    addExchangeCommands, // bank-exchange
    addLocal,
    addSimulator,
  ],
  ['Deploy, such as "loan-orders diff prod":', addStage, ...addDeploy, addRehearse],
];

const DONE = 0;
const USAGE = 2;

const HELP = `
Exit codes:
  0  done
  1  refused, not found, or AWS could not be reached; standard error gives the
     reason. lint, submit: the package has problems. doctor: something is not in
     order. replay: a read differs
  2  the command line is wrong. replay: no read is known to differ, but some
     could not be replayed
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
        : commandFailure(error, place(program.opts()));
    const said = inPlace(sentence, typedPlace(program));
    streams.err(args.includes('--json') ? `${jsonText({ error: said }, 0)}\n` : `${plain(said)}\n`);
    return exitCode;
  }
}

/** The commit that a built file was made from, inserted by scripts/build-command-line.ts. */
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
      new Option(
        '--local',
        'the laptop that is running ("loan-orders local"); with --stage, the one with that stage',
      ).implies({
        stage: 'local',
      }),
    )
    .addOption(
      new Option('--endpoint <url>', "address of the laptop's AWS, if several laptops are running; implies --local")
        .argParser(parseAddress)
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
    const say = (line: string) => streams.out(`${printable(inPlace(line, typed))}\n`);
    const print = options.json ? undefined : say;
    const pauseNotice = where === 'stage' ? printPause(options, streams) : undefined;
    const { lines, json, exitCode = DONE } = await work(options, print).finally(() => pauseNotice);
    if (options.json && json !== undefined) streams.out(`${jsonText(json)}\n`);
    else lines.forEach(say);
    end(exitCode);
  };
  for (const [title, ...commands] of COMMANDS) {
    program.commandsGroup(title);
    for (const add of commands) add(program, perform);
  }
  return program;
}

/** The place options that were typed. Commands that an answer mentions need the same ones. */
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
