import { once } from 'node:events';
import { Argument, type Command, Option } from 'commander';
import type { StepName } from './rehearse.ts';
import { address, type Perform, port, stageName } from './shared/arguments.ts';
import { Refusal } from './shared/text.ts';
import { FAULTS, type Fault, simulator as switchFault } from './simulator.ts';

export function addConsole(program: Command, perform: Perform): void {
  program
    .command('console')
    .description('serve a page at 127.0.0.1 on which to watch, sign, decide and submit; until Ctrl-C')
    .option('--port <port>', 'its port; by default any free one', port, 0)
    .action((options: { port: number }) =>
      perform(async (place, print) => {
        const { startConsole } = await import('../console/server/console.ts');
        const show = (address: string) =>
          print ? print(`Console: ${address}`) : process.stdout.write(`${JSON.stringify({ address })}\n`);
        const served = await startConsole({ place, port: options.port, onAddress: show });
        print?.('The address works once; after each use the next one is printed here. Ctrl-C ends the console.');
        await Promise.race(['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal)));
        await served.close();
        return { lines: ['The console has ended.'], json: { ended: true } };
      }),
    );
}

const FAULTS_HELP = `
  down    it refuses every connection
  reject  it refuses new orders with 422
  html    it answers with a page of HTML in place of JSON
  slow    it does what it is asked, and answers after our functions have given up
  up      it works again

docs/operations.md, "Practise an outage", says what each leads to.`;

/** Adds `simulator`. Only a laptop has one, so it needs no --local. */
export function addSimulatorCommand(program: Command, perform: Perform): void {
  program
    .command('simulator')
    .description("switch a fault of the laptop's simulator on or off, or show which one is on")
    .addArgument(new Argument('[fault]', 'the fault').choices(FAULTS))
    .addOption(
      new Option('--status <status>', 'the status of the pages of "html" (default: 200)').choices(['200', '502']),
    )
    .addOption(
      new Option(
        '--simulator <url>',
        'the switches of a simulator that runs alone (npm run simulator prints them)',
      ).argParser(address),
    )
    .addHelpText('after', FAULTS_HELP)
    .action(
      (fault: Fault | undefined, { simulator, status }: { simulator?: string; status?: string }, command: Command) => {
        if (status !== undefined && fault !== 'html') command.error('error: --status belongs to the fault html');
        return perform(async ({ stage, local, endpoint }) => {
          const isNamed = program.getOptionValueSource('stage') === 'cli';
          if (!local && stage !== 'local' && isNamed) {
            throw new Refusal(`Stage ${stage} has no simulator: nothing was done. Use --local for the laptop.`);
          }
          const { laptopSwitches } = await import('./shared/laptops.ts');
          const switches =
            simulator ??
            (await laptopSwitches({ ...(endpoint !== undefined && { endpoint }), ...(isNamed && { stage }) }));
          return switchFault(switches, fault && { fault, ...(status && { status: Number(status) }) });
        }, 'here');
      },
    );
}

const STAGE_HELP = `
The files are in stages/ of the project, or in the folder that LOAN_ORDERS_STAGES names (docs/settings.md).`;

/** The files of stages and their schema belong to a checkout. */
const openFiles = () =>
  process.env.LOAN_ORDERS_COMMIT === undefined
    ? import('./stage/explain.ts')
    : Promise.reject(new Refusal('The built file has no files of stages: use "npx loan-orders stage" in a checkout.'));

export function addStageCommands(program: Command, perform: Perform): void {
  const stage = program
    .command('stage')
    .description('explain the file of a stage; needs a checkout of the project')
    .addHelpText('after', STAGE_HELP);
  stage
    .command('explain')
    .description('print every setting in force, and where it comes from')
    .argument('<stage>', 'its name', stageName)
    .action((name: string) => perform(async () => (await openFiles()).stageExplain(name), 'here'));
}

const STEPS = ['deploy', 'credentials', 'orders', 'conformance', 'checklist', 'remove'] as const satisfies StepName[];

const REHEARSE_HELP = `
Steps, each of which can be run alone and again; without one, all of them:
  deploy       the stage rehearsal, with a simulator of the order service
  credentials  those of the simulator into the secret
  orders       four examples, signed, decided, and followed to their ends
  conformance  what AWS documents, compared with the account
  checklist    the first hour of docs/deployment.md
  remove       everything

With --local, it takes place in an embedded AWS on this machine. docs/deployment.md, "Rehearse".`;

export function addRehearse(program: Command, perform: Perform): void {
  program
    .command('rehearse')
    .description('deploy, try and remove the stage rehearsal in your account, without a bank; needs a checkout')
    .addArgument(new Argument('[step]', 'one step').choices(STEPS))
    .option('--yes', 'do not ask')
    .addHelpText('after', REHEARSE_HELP)
    .action((step: StepName | undefined, options: { yes?: true }) =>
      perform(async (place, print) => {
        if (process.env.LOAN_ORDERS_COMMIT !== undefined) {
          throw new Refusal('The built file has no stacks to deploy: use "npx loan-orders rehearse" in a checkout.');
        }
        const { rehearse } = await import('./rehearse.ts');
        return rehearse(place, step, options, print ?? (() => undefined));
      }, 'here'),
    );
}
