import type { Count } from './bounds.ts';
import { interleaved, runScript } from './children.ts';
import { countOrder } from './counts.ts';
import { type Imports, measureImports } from './imports.ts';
import { runFixedLoop } from './machine.ts';
import type { BenchOptions } from './options.ts';
import { type LaptopRun, runLaptop } from './orders.ts';
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

/** Takes every measurement, one after the other: nothing else of the bench runs meanwhile. `directory` is an empty folder. */
export async function measure(
  options: BenchOptions,
  directory: string,
  tell: (line: string) => void,
): Promise<Measurements> {
  const { runs, laptops: batches, plainOrders } = options;
  const assembly = `${directory}/assembly-1`;
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
  fixedLoop.push(...Array.from({ length: LOOPS }, runFixedLoop));
  return { fixedLoop, synth, imports, counts, plain, transfers, laptops, ...(profiled && { profiled }) };
}
