import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { provideAssembly } from '../../laptop/assembly.ts';
import type { Violation } from './checks/checks.ts';
import { mutations } from './mutations/list.ts';
import { isAllRight, mutationTable } from './mutations/table.ts';
import { type Finding, nothingBroken, tryMutations } from './mutations/try-mutations.ts';
import { type PlanOption, planOptions } from './plan/order-plan.ts';
import { report } from './report.ts';
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
  mutations?: true | string;
}

async function main(): Promise<void> {
  const options = program.parse().opts<Options>();
  const seed = options.seed ?? new Date().toISOString().slice(0, 10);
  const directory = await mkdtemp(join(tmpdir(), 'loan-orders-simulation-'));
  // All sandboxes of the simulation share this compile cache, because they load the same functions.
  process.env.LOCAL_AWS_COMPILE_CACHE = join(directory, 'compile-cache');
  try {
    if (options.mutations) {
      process.exitCode = await runMutations(options.mutations, options.processes);
      return;
    }
    if (!options.assembly) await provideAssembly('local', directory);
    const violations = await runOrders(seed, options.assembly ?? directory, options);
    if (violations > 0) process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runOrders(seed: string, assemblyDirectory: string, options: Options): Promise<number> {
  const { orders, only, processes } = options;
  const orderRefs = only ? [only] : Array.from({ length: orders }, (_order, position) => `order-${position + 1}`);
  const begun = performance.now();
  console.log(`${orderRefs.length} orders, seed ${seed}`);
  let found = 0;
  const onProgress = (done: number, violations: readonly Violation[]) => {
    found += violations.length;
    console.log(`  ${done} done after ${seconds(begun)} s, ${found} violations`);
    for (const { orderRef, what } of violations) console.log(`    ${orderRef}: ${what}`);
  };
  const result = await simulate({
    seed,
    orderRefs,
    events: options.with ?? [],
    profile: options.profile,
    processes,
    onProgress,
    assemblyDirectory,
  });
  console.log(report(result, seed, options.profile).join('\n'));
  console.log(`${orderRefs.length} orders, seed ${seed}: ${result.violations.length} violations, ${seconds(begun)} s`);
  return result.violations.length;
}

/** Returns the exit code. */
async function runMutations(wanted: true | string, processes: number): Promise<number> {
  const begun = performance.now();
  const chosen = mutations.filter(({ name }) => wanted === true || name.includes(wanted));
  const onFinding = (finding: Finding) => console.log(`  ${finding.name}: ${finding.violations[0] ?? 'nothing'}`);
  const findings = await tryMutations([nothingBroken(chosen), ...chosen], processes, onFinding);
  console.log(mutationTable(findings).join('\n'));
  console.log(`${chosen.length} mutations, ${seconds(begun)} s`);
  return isAllRight(findings) ? 0 : 1;
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
