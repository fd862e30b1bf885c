import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Count, missedBounds } from './bounds.ts';
import { type Measurements, measure } from './measurements.ts';
import { HELP, readOptions } from './options.ts';
import { type OrdersPoint, type PartsPanel, plotOrders, plotParts, writePlots } from './plots.ts';
import { rowsOf } from './rows.ts';
import { sampleOf } from './sample.ts';
import { formatTable, type Row } from './table.ts';

const print = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    print(HELP);
    return 0;
  }
  // On exit, the laptop ends and the folder is removed.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const begun = performance.now();
  const measured = await measure(options, directory, (line) => process.stderr.write(`${line}\n`));
  const seconds = Math.round((performance.now() - begun) / 1000);
  const rows = rowsOf(measured);
  const missed = missedBounds(rows.map(countOf));
  const machine = { cores: cpus().length, node: process.version, platform: process.platform };
  const results = { at: new Date().toISOString(), quick: options.quick, seconds, machine, rows, missed, measured };
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
  if (measured.profiled) draw(measured);
  print(formatTable(rows));
  print(`\nTook ${seconds} s on ${machine.cores} cores, Node ${machine.node}. Every run is in bench/results.json.`);
  for (const sentence of missed) print(sentence);
  return missed.length === 0 ? 0 : 1;
}

/** The bound of a row applies to its worst run. */
function countOf({ group, what, sample, bound }: Row): Count {
  return { what: `${group}: ${what}`, count: sample.maximum, ...(bound !== undefined && { bound }) };
}

function draw(measured: Measurements): void {
  const runs = measured.laptops.flatMap(({ orders }) => orders);
  const batches = [...Map.groupBy(runs, ({ orders }) => orders)];
  const panels = batches.slice(0, 2).map(([orders, [run]]): PartsPanel => {
    const which = orders === 1 ? 'one order alone' : `one order among ${orders} at once`;
    return { label: `Wall time of ${which}`, parts: run?.timeParts ?? {} };
  });
  const [profiled] = measured.profiled?.orders ?? [];
  if (profiled?.cpuParts) {
    panels.push({ label: `CPU time of one order among ${profiled.orders} at once`, parts: profiled.cpuParts });
  }
  writePlots(new URL('../docs/', import.meta.url), {
    orders: plotOrders(
      batches.map(([, some]) => pointOf(some)),
      [pointOf(measured.plain.pool)],
    ),
    parts: plotParts(panels),
  });
}

function pointOf(runs: readonly OrdersPoint[]): OrdersPoint {
  const orders = runs[0]?.orders ?? 1;
  const median = (value: 'wall' | 'cpu') => sampleOf(runs.map((run) => run[value] / orders)).median;
  return { orders, wall: median('wall'), cpu: median('cpu') };
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
