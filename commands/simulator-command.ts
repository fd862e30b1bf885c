import { Argument, type Command, Option } from 'commander';
import { address, type Perform } from './arguments.ts';
import { Refusal } from './refusal.ts';
import { FAULTS, type Fault, simulator as switchFault } from './simulator.ts';

const HELP = `
  down    it refuses every connection
  reject  it refuses new orders with 422
  html    it answers with a page of HTML in place of JSON
  slow    it does what it is asked, and answers after our functions have given up
  up      it works again

docs/operations.md, "Practise an outage", has an exercise with each of them.`;

interface SimulatorOptions {
  simulator?: string;
  status?: string;
}

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
    .addHelpText('after', HELP)
    .action((fault: Fault | undefined, { simulator, status }: SimulatorOptions, command: Command) => {
      if (status !== undefined && fault !== 'html') command.error('error: --status belongs to the fault html');
      return perform(async ({ stage, endpoint }) => {
        if (stage !== 'local' && program.getOptionValueSource('stage') === 'cli') {
          throw new Refusal(`Stage ${stage} has no simulator: nothing was done. Use --local for the laptop.`);
        }
        const { laptopSwitches } = await import('./stage/laptops.ts');
        const switches = simulator ?? (await laptopSwitches(endpoint));
        return switchFault(switches, fault && { fault, ...(status && { status: Number(status) }) });
      }, 'here');
    });
}
