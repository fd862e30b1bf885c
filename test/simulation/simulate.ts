import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { BatchOptions, BatchResult } from './batch.ts';
import type { PlanOption } from './plan/order-plan.ts';
import { planOrder } from './plan/plan.ts';
import { Tally } from './world/tally.ts';

interface SimulationOptions extends Required<Pick<BatchOptions, 'seed' | 'profile' | 'assemblyDirectory'>> {
  orderRefs: readonly string[];
  events: readonly PlanOption[];
}

/** One more than there are cores: a process that waits for a timeout in real time leaves its core to another. */
export const PROCESSES = availableParallelism() + 1;

/** With more orders at once, calls run into their timeout (8 s of real time). With fewer, starting costs too much. */
const BATCH = 100;

/** Nearly all objects are short-lived: a large young generation (MiB) makes garbage collection cheap. */
const GARBAGE_COLLECTION = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--single-threaded-gc'];

const batchProcess = new URL('./batch.ts', import.meta.url);

/** Runs all orders in batches, and prints what comes of them. Throws if a batch does not finish. Returns the number of violations. */
export async function simulate({ orderRefs, events, ...options }: SimulationOptions): Promise<number> {
  const [begun, { seed, profile }] = [performance.now(), options];
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  const left = [...orderRefs];
  const size = Math.min(BATCH, Math.ceil(left.length / PROCESSES));
  const tallies = { injected: new Tally(), operated: new Tally(), outcomes: new Tally() };
  const wrong: string[] = [];
  let done = 0;
  console.log(`${orderRefs.length} orders, seed ${seed}`);
  const work = async () => {
    while (left.length > 0) {
      const plans = left.splice(0, size).map((orderRef) => planOrder(seed, orderRef, events));
      const { violations, work: _work, ...counted } = await runInProcess({ plans, ...options });
      for (const name of Object.keys(counted) as (keyof typeof counted)[]) tallies[name].merge(counted[name]);
      wrong.push(...violations.map(({ orderRef }) => orderRef));
      done += plans.length;
      console.log(`  ${done} done after ${seconds()}, ${wrong.length} violations`);
      for (const { orderRef, what } of violations) console.log(`    ${orderRef}: ${what}`);
    }
  };
  await Promise.all(Array.from({ length: PROCESSES }, work));
  const { injected, operated, outcomes } = tallies;
  const tables = { Faults: injected, 'What operators did': operated, Outcomes: outcomes };
  for (const [heading, tally] of Object.entries(tables)) console.log(tally.table(heading));
  const again = `npm run simulate -- --seed ${seed}${profile === 'default' ? '' : ` --profile ${profile}`} --only`;
  for (const orderRef of new Set(wrong)) console.log(`Run it alone: ${again} ${orderRef}`);
  console.log(`${orderRefs.length} orders, seed ${seed}: ${wrong.length} violations, ${seconds()}`);
  return wrong.length;
}

/** Runs a batch in its own process, which frees all memory when it ends. Throws if it does not finish. */
export async function runInProcess(options: BatchOptions): Promise<BatchResult> {
  const { run, end } = startBatchProcess();
  const result = await run(options);
  await end();
  return result;
}

/** Starts a process that runs one batch after the other. `run` throws if a batch does not finish. */
export function startBatchProcess() {
  const child = fork(batchProcess, { execArgv: GARBAGE_COLLECTION, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const run = async (options: BatchOptions): Promise<BatchResult> => {
    child.send(options);
    const [result] = await Promise.race([once(child, 'message'), exited.then(([, signal]) => [signal])]);
    if (typeof result === 'object' && result) return result;
    const [first, last] = [options.plans.at(0)?.orderRef, options.plans.at(-1)?.orderRef];
    throw new Error(`The batch ${first} to ${last} did not finish (${result ?? `exit code ${child.exitCode}`}).`);
  };
  const end = async () => {
    child.disconnect();
    await exited;
  };
  return { run, end };
}
