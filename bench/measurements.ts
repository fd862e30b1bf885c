import type { Count } from './bounds.ts';
import { interleaved, runScript } from './children.ts';
import { countOrder } from './counts.ts';
import { type Imports, measureImports } from './imports.ts';
import { runFixedLoop } from './machine.ts';
import { type BenchOptions, LONGEST } from './options.ts';
import { type LaptopRun, type OrdersRun, runLaptop } from './orders.ts';
import type { PlainRun } from './plain-script.ts';
import { measureStreams, type Transfers } from './streams.ts';
import { runSynth } from './synth.ts';

/** Everything that the bench has measured, run by run. */
export interface Measurements {
  /** Milliseconds of the fixed loop, measured before and after everything else. */
  fixedLoop: number[];
  /** Milliseconds. */
  synth: number[];
  imports: Imports;
  counts: Count[];
  plain: { pool: PlainRun[]; sequence?: PlainRun[] };
  transfers: Transfers;
  laptops: LaptopRun[];
  /** A run with a profiler, only for the parts of the CPU time. */
  profiled?: LaptopRun;
}

const LOOPS = 3;
/** Time to start the laptop and to end the bench. Milliseconds. */
const START_AND_END = 20_000;

/** Takes the measurements one after the other, so that they do not disturb each other. `directory` is an empty folder. */
export async function measure(
  options: BenchOptions,
  directory: string,
  tell: (line: string) => void,
): Promise<Measurements> {
  const { runs, laptops: batches, plainOrders } = options;
  const assembly = `${directory}/assembly-1`;
  const begun = performance.now();
  const fixedLoop = Array.from({ length: LOOPS }, runFixedLoop);
  tell('Synthesizing …');
  const synth: number[] = [];
  for (let run = 1; run <= runs; run += 1) synth.push(await runSynth(`${directory}/assembly-${run}`));
  tell('Counting requests, calls and transitions …');
  const counts = await countOrder(assembly);
  tell('Importing every bundle …');
  const imports = await measureImports(assembly, options.importRuns);
  tell('Moving files …');
  const transfers = await measureStreams(options.streamBytes, options.streamRuns);
  tell('Driving orders with a plain script …');
  const plain = await interleaved(options.plainBy, runs, (by) =>
    runScript<PlainRun>('plain-script.ts', '--orders', String(plainOrders), '--by', by),
  );
  const laptops: LaptopRun[] = [];
  for (let run = 1; run <= runs; run += 1) {
    for (const batch of batches) {
      tell(`Starting the laptop, then driving ${batch.join(', then ')} orders at once (run ${run} of ${runs}) …`);
      laptops.push(await runLaptop({ batches: batch }));
    }
  }
  if (!options.quick) tell('The same with a profiler …');
  const profiled = options.quick ? undefined : await runLaptop({ batches: [plainOrders], profile: true });
  if (options.largest !== undefined) await measureLargest(options.largest, runs, laptops, begun + LONGEST, tell);
  fixedLoop.push(...Array.from({ length: LOOPS }, runFixedLoop));
  return { fixedLoop, synth, imports, counts, plain, transfers, laptops, ...(profiled && { profiled }) };
}

const larger = (one: OrdersRun, other: OrdersRun) => (other.orders >= one.orders ? other : one);

/**
 * Adds runs of the largest batch to `laptops`, as long as a run is expected to end before `deadline` (in `performance.now`). The
 * estimate uses the time per order of earlier runs. The table shows how many runs there were.
 */
async function measureLargest(
  orders: number,
  runs: number,
  laptops: LaptopRun[],
  deadline: number,
  tell: (line: string) => void,
): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    // The largest batch so far, because one order alone mostly waits.
    const { wall, orders: some } = laptops.flatMap((laptop) => laptop.orders).reduce(larger);
    if (performance.now() + (orders * wall) / some + START_AND_END > deadline) {
      tell(`${orders} orders at once take too long on this machine for another run (${run} of ${runs}).`);
      return;
    }
    tell(`Starting the laptop, then driving ${orders} orders at once (run ${run} of ${runs}) …`);
    laptops.push(await runLaptop({ batches: [orders] }));
  }
}
