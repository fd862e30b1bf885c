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

/** Everything that one run of the bench has measured, run by run. */
export interface Measurements {
  /** Milliseconds of the fixed loop, before and after everything else. */
  fixedLoop: number[];
  /** Milliseconds. */
  synth: number[];
  imports: Imports;
  counts: Count[];
  plain: { pool: PlainRun[]; sequence?: PlainRun[] };
  transfers: Transfers;
  laptops: LaptopRun[];
  /** The same with a profiler, for the parts alone. */
  profiled?: LaptopRun;
}

const LOOPS = 3;
/** Milliseconds that the laptop takes to start, and the bench to end. */
const BESIDE = 20_000;

/** Takes every measurement, one after the other: nothing else of the bench runs meanwhile. `directory` is an empty folder. */
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
      tell(`Starting the laptop, and driving ${batch.join(', then ')} orders at once (run ${run} of ${runs}) …`);
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
 * Adds runs of the largest batch to `laptops`, as many as end before `deadline` (of `performance.now`) where an order takes as long as among
 * those before. Fewer than asked for are said to be so: the table names how many there were.
 */
async function measureLargest(
  orders: number,
  runs: number,
  laptops: LaptopRun[],
  deadline: number,
  tell: (line: string) => void,
): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    // The most at once so far: one order alone mostly waits.
    const { wall, orders: some } = laptops.flatMap((laptop) => laptop.orders).reduce(larger);
    if (performance.now() + (orders * wall) / some + BESIDE > deadline) {
      tell(`${orders} orders at once take too long on this machine for another run (${run} of ${runs}).`);
      return;
    }
    tell(`Starting the laptop, and driving ${orders} orders at once (run ${run} of ${runs}) …`);
    laptops.push(await runLaptop({ batches: [orders] }));
  }
}
