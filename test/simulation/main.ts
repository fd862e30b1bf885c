import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { provideAssembly } from '../../laptop/assembly.ts';
import { tryEveryFault } from './every-fault.ts';
import { tryMutations } from './mutations/try-mutations.ts';
import { tryOutages } from './outages.ts';
import { type PlanOption, planOptions } from './plan/order-plan.ts';
import { simulate } from './simulate.ts';
import { type Profile, profiles } from './world/profiles.ts';

const program = new Command('simulate')
  .description(
    'Drives orders through faults of the service and of AWS, and checks that nothing is lost and nothing is done twice.',
  )
  .option('--orders <number>', 'how many', wholeNumber, 100)
  .option('--seed <seed>', "which faults: the same seed gives every order the same plan; today's date by default")
  .option('--only <orderRef>', 'one order of them, alone')
  .addOption(new Option('--with <events...>', 'what happens only when it is asked for').choices(planOptions))
  .addOption(
    new Option(
      '--profile <name>',
      'which order service: `other` reads the specification in another way wherever it can',
    )
      .choices(profiles)
      .default('default'),
  )
  .option(
    '--every-fault',
    'no seed: orders that meet every fault at every call, or whose operator acts then, and nothing else',
  )
  .option('--outages', 'no seed: 24 hours of 503 to accepts, to confirms, and to creations, and what they cost')
  .option(
    '--mutations [text]',
    'breaks the deployed code in one way after another, and fails unless each is noticed; with a text, only mutations with this text in their names',
  );

interface Options {
  orders: number;
  seed?: string;
  only?: string;
  with?: PlanOption[];
  profile: Profile;
  everyFault?: true;
  outages?: true;
  mutations?: true | string;
}

async function main(): Promise<void> {
  const options = program.parse().opts<Options>();
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-simulation-'));
  // All sandboxes of the simulation share this compile cache, because they load the same functions.
  process.env.LOCAL_AWS_COMPILE_CACHE = join(directory, 'compile-cache');
  try {
    const assemblyDirectory = join(directory, 'assembly');
    await provideAssembly('local', assemblyDirectory);
    if ((await problemsOf(options, assemblyDirectory, directory)) > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function problemsOf(options: Options, assemblyDirectory: string, directory: string): Promise<number> {
  const { mutations, everyFault, outages, orders, only, seed, profile, with: events = [] } = options;
  if (mutations) return tryMutations(mutations === true ? '' : mutations, { assemblyDirectory, directory });
  if (everyFault) return tryEveryFault(assemblyDirectory);
  if (outages) return tryOutages(assemblyDirectory);
  const orderRefs = only ? [only] : Array.from({ length: orders }, (_order, position) => `order-${position + 1}`);
  const today = new Date().toISOString().slice(0, 10);
  return simulate({ orderRefs, seed: seed ?? today, events, profile, assemblyDirectory });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It is not a whole number above 0.');
}

await main();
