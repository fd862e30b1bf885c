import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { BatchOptions, BatchResult } from './batch.ts';
import type { Violation } from './checks/checks.ts';
import type { PlanOption } from './plan/order-plan.ts';
import { planOrder } from './plan/plan.ts';
import type { Profile } from './world/profiles.ts';
import { Tally } from './world/tally.ts';

export interface SimulationOptions {
  seed: string;
  orderRefs: readonly string[];
  events: readonly PlanOption[];
  profile: Profile;
  /** A synthesized cloud assembly of stage `local`. */
  assemblyDirectory: string;
  /** The number of batches that run in parallel, each in its own process. */
  processes: number;
  /** Called after every batch, with its violations. */
  onProgress?(done: number, violations: readonly Violation[]): void;
}

const COUNTED = ['injected', 'operated', 'outcomes', 'calls'] as const;
type SimulationResult = Record<(typeof COUNTED)[number], Tally> & { violations: Violation[] };

/**
 * The most orders of one process. With more at once the process is late, and calls run into their timeout (3 s of real time)
 * that no plan knows of. Fewer make starting the process and compiling too expensive.
 */
const BATCH = 100;

/**
 * Nearly all objects are short-lived, so a large young generation (in MiB) makes garbage collection cheap. Every core is busy, so
 * parallel collection would not help.
 */
const GARBAGE_COLLECTION = ['--min-semi-space-size=16', '--max-semi-space-size=64', '--single-threaded-gc'];

const batchProcess = new URL('./batch-process.ts', import.meta.url);

/** Runs all orders in batches. Throws if a batch does not finish. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, orderRefs, events, profile, assemblyDirectory, processes, onProgress } = options;
  const size = Math.min(BATCH, Math.ceil(orderRefs.length / processes));
  const batches = Array.from({ length: Math.ceil(orderRefs.length / size) }, (_batch, position) =>
    orderRefs.slice(position * size, (position + 1) * size),
  );
  const result: SimulationResult = {
    injected: new Tally(),
    operated: new Tally(),
    outcomes: new Tally(),
    calls: new Tally(),
    violations: [],
  };
  let done = 0;
  const work = async () => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const plans = batch.map((orderRef) => planOrder(seed, orderRef, events));
      const { violations, ...counted } = await runInProcess({ plans, seed, profile, assemblyDirectory });
      result.violations.push(...violations);
      for (const name of COUNTED) result[name].merge(counted[name]);
      done += batch.length;
      onProgress?.(done, violations);
    }
  };
  await Promise.all(Array.from({ length: processes }, work));
  return result;
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
