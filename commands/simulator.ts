import { Argument, type Command, Option } from 'commander';
import { type AddCommand, parseAddress, withPlace } from './shared/arguments.ts';
import { laptopSwitches, OWN_ADDRESS } from './shared/laptops.ts';
import type { PlaceOptions } from './shared/place.ts';
import { type CommandResult, Refusal } from './shared/text.ts';

/** The faults that the simulator has switches for, and what it does then. `up` is none. */
const DOES = {
  down: 'is down: it refuses every connection; calls that were under way end first',
  reject: 'refuses new orders with 422; orders that it has go on',
  html: 'answers with a page of HTML in place of JSON, except requests for a token',
  slow: 'does what it is asked, and answers after our functions have given up, except requests for a token',
  up: 'is up: it answers every call',
};

type Fault = keyof typeof DOES;

export const FAULTS = Object.keys(DOES) as Fault[];

interface FaultState {
  fault: Fault;
  /** The status of the pages of `html`. */
  status?: number;
}

const FAULTS_HELP = `
${FAULTS.map((fault) => `  ${fault.padEnd(6)}  ${DOES[fault]}`).join('\n')}

docs/operations.md, "Practise an outage", says what each leads to.`;

/** Only a laptop has a simulator, so the command needs no --local. */
export const addSimulator: AddCommand = (program, perform) =>
  program
    .command('simulator')
    .description("switch a fault of the laptop's simulator on or off, or show which one is on")
    .addArgument(new Argument('[fault]', 'the fault').choices(FAULTS))
    .addOption(
      new Option('--status <status>', 'the status of the pages of "html" (default: 200)').choices(['200', '502']),
    )
    .option(
      '--simulator <url>',
      'the switches of a simulator that runs alone (npm run simulator prints them)',
      parseAddress,
    )
    .addHelpText('after', FAULTS_HELP)
    .action((fault: Fault | undefined, options: { simulator?: string; status?: string }, self: Command) => {
      const { simulator: named, status } = options;
      if (status !== undefined && fault !== 'html') self.error('error: --status belongs to the fault html');
      const run = async ({ stage, local, endpoint }: PlaceOptions) => {
        const isNamed = program.getOptionValueSource('stage') === 'cli';
        if (!local && stage !== 'local' && isNamed)
          throw new Refusal(`Stage ${stage} has no simulator: nothing was done. Use --local for the laptop.`);
        const where = { ...(endpoint !== undefined && { endpoint }), ...(isNamed && { stage }) };
        const switches = named ?? (await laptopSwitches(where));
        return simulator(switches, fault && { fault, ...(status && { status: Number(status) }) });
      };
      return withPlace(perform, run, 'here')();
    });

const LONGEST_CALL = 5_000;

/** @param switches the address of the simulator's switches. */
export async function simulator(switches: string, wish: FaultState | undefined): Promise<CommandResult> {
  const state = await call(switches, wish);
  const { url, fault, status } = state;
  const line = `The simulator at ${url} ${DOES[fault]}${status === undefined ? '' : `: status ${status}`}.`;
  const fix = `"loan-orders simulator up" ends that.`;
  return { lines: fault === 'up' ? [line] : [line, fix], json: state };
}

async function call(switches: string, wish: FaultState | undefined): Promise<FaultState & { url: string }> {
  const body = wish && { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(wish) };
  let answer: unknown;
  try {
    const signal = AbortSignal.timeout(LONGEST_CALL);
    const response = await fetch(new URL('/fault', switches), { ...body, redirect: 'error', signal });
    const reader = response.body?.getReader();
    // One part holds the answer of the switches. That of another program may never end.
    const part = await reader?.read();
    await reader?.cancel();
    answer = response.ok ? JSON.parse(new TextDecoder().decode(part?.value)) : undefined;
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } };
    throw new Refusal(
      `No simulator answers at ${switches} (${cause?.code ?? name}): it may not have changed. ` +
        'Start one with "loan-orders local", then repeat the command.',
    );
  }
  if (isState(answer)) return answer;
  throw new Refusal(
    `Whatever answered at ${switches} is not the switches of a simulator: nothing was done. ` +
      'Use the address that "npm run simulator" prints as switches.',
  );
}

function isState(answer: unknown): answer is FaultState & { url: string } {
  const { fault, url, status = 0 } = (answer ?? {}) as Partial<FaultState & { url: string }>;
  return FAULTS.some((name) => name === fault) && OWN_ADDRESS.test(String(url)) && typeof status === 'number';
}
