import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { provideAssembly } from '../../laptop/assembly.ts';
import type { Violation } from './checks/checks.ts';
import { tryEveryFault } from './every-fault.ts';
import { mutations } from './mutations/list.ts';
import { tryMutations } from './mutations/try-mutations.ts';
import { type PlanOption, planOptions } from './plan/order-plan.ts';
import { simulate } from './simulate.ts';
import { type Profile, profiles } from './world/profiles.ts';

const program = new Command('simulate')
  .description('Drives orders through every fault there is, and checks that nothing is lost and nothing is done twice.')
  .option('--orders <number>', 'how many', wholeNumber, 100)
  .option('--seed <seed>', "which faults: the same seed gives every order the same plan; today's date by default")
  .option('--only <orderRef>', 'one order of them, alone')
  // One more than there are cores: a timeout takes real time, and a process that waits for it leaves its core to another.
  .option('--processes <number>', 'how many at once', wholeNumber, availableParallelism() + 1)
  .addOption(new Option('--with <events...>', 'what happens only when it is asked for').choices(planOptions))
  .addOption(
    new Option(
      '--profile <name>',
      'which order service: `other` reads the specification in another way wherever it can',
    )
      .choices(profiles)
      .default('default'),
  )
  .option('--every-fault', 'no seed: orders that meet every fault at every call, and nothing else')
  .option(
    '--mutations [text]',
    'breaks the deployed code in one way after another, and fails unless each is noticed; with a text, only mutations with this text in their names',
  )
  .option('--assembly <directory>', 'a synthesized cloud assembly of stage local; synthesized by default');

interface Options {
  orders: number;
  seed?: string;
  only?: string;
  processes: number;
  assembly?: string;
  with?: PlanOption[];
  profile: Profile;
  everyFault?: true;
  mutations?: true | string;
}

async function main(): Promise<void> {
  const options = program.parse().opts<Options>();
  const seed = options.seed ?? new Date().toISOString().slice(0, 10);
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-simulation-'));
  // All sandboxes of the simulation share this compile cache, because they load the same functions.
  process.env.LOCAL_AWS_COMPILE_CACHE = join(directory, 'compile-cache');
  try {
    const { mutations: wanted, processes } = options;
    const assembly = options.assembly ?? join(directory, 'assembly');
    if (!options.assembly) await provideAssembly('local', assembly);
    const wrong = wanted
      ? await runMutations(wanted, { processes, assemblyDirectory: assembly, directory })
      : options.everyFault
        ? await runEveryFault(assembly)
        : await runOrders(seed, assembly, options);
    if (wrong > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runOrders(seed: string, assemblyDirectory: string, options: Options): Promise<number> {
  const { orders, only, processes, profile } = options;
  const orderRefs = only ? [only] : Array.from({ length: orders }, (_order, position) => `order-${position + 1}`);
  const begun = performance.now();
  console.log(`${orderRefs.length} orders, seed ${seed}`);
  let found = 0;
  const onProgress = (done: number, violations: readonly Violation[]) => {
    found += violations.length;
    console.log(`  ${done} done after ${seconds(begun)} s, ${found} violations`);
    for (const { orderRef, what } of violations) console.log(`    ${orderRef}: ${what}`);
  };
  const run = { seed, orderRefs, events: options.with ?? [], profile, processes, onProgress, assemblyDirectory };
  const { injected, operated, outcomes, calls, violations } = await simulate(run);
  const tables = { Faults: injected, 'What operators did': operated, Outcomes: outcomes, Requests: calls };
  for (const [heading, tally] of Object.entries(tables)) console.log(tally.table(heading));
  const again = `npm run simulate -- --seed ${seed}${profile === 'default' ? '' : ` --profile ${profile}`} --only`;
  for (const orderRef of new Set(violations.map(({ orderRef }) => orderRef))) {
    console.log(`Run it alone: ${again} ${orderRef}`);
  }
  console.log(`${orderRefs.length} orders, seed ${seed}: ${violations.length} violations, ${seconds(begun)} s`);
  return violations.length;
}

async function runEveryFault(assemblyDirectory: string): Promise<number> {
  const begun = performance.now();
  const problems = await tryEveryFault(assemblyDirectory);
  console.log(`every fault at every call: ${problems} problems, ${seconds(begun)} s`);
  return problems;
}

/** Returns the number of results that are not as they should be. */
async function runMutations(wanted: true | string, options: Parameters<typeof tryMutations>[1]): Promise<number> {
  const begun = performance.now();
  const chosen = mutations.filter(({ name }) => wanted === true || name.includes(wanted));
  const wrong = await tryMutations(chosen, options);
  console.log(`${chosen.length} mutations, ${wrong} wrong results, ${seconds(begun)} s`);
  return wrong;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It is not a whole number above 0.');
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}

await main();
