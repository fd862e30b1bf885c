import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { synthesize } from '../laptop/synthesize.ts';
import { measureImports } from './imports.ts';
import { measureOrders } from './laptop.ts';
import { median, type Row, row } from './table.ts';

const HELP = `npm run bench -- [--quick]

Measures the project on this machine, prints a table, and writes every run to bench/results.json. docs/performance.md explains the
rows.

  --quick   fewer runs and fewer orders: a minute instead of ten
`;

/** What to measure. `orders`: the number of runs by the number of orders in each. Each run starts the laptop. */
const FULL = { importRuns: 7, orders: { 1: 3, 100: 3, 500: 1 } };
const QUICK = { importRuns: 1, orders: { 20: 1 } };

const TURNS = 500_000;

/** Measures the machine's speed: milliseconds for a fixed loop. */
function runLoop(): number {
  const begun = performance.now();
  for (let turn = 0; turn < TURNS; turn += 1) JSON.parse(JSON.stringify({ a: turn, b: `x${turn}` }));
  return performance.now() - begun;
}

async function measure(amounts: typeof FULL | typeof QUICK, directory: string): Promise<Row[]> {
  const { importRuns, orders } = amounts;
  const loops = [runLoop(), runLoop()];
  const rows: Row[] = [];
  const step = async (what: string, work: () => Promise<Row[]>) => {
    process.stderr.write(`${what} …\n`);
    rows.push(...(await work()));
    loops.push(runLoop());
  };
  await step('Synthesizing', async () => {
    const begun = performance.now();
    await synthesize('local', join(directory, 'assembly'));
    return [row('Start', 'synth of one stage', 's', (performance.now() - begun) / 1000)];
  });
  await step('Importing every bundle', () => measureImports(directory, importRuns));
  for (const [count, runs] of Object.entries(orders)) {
    const measureRuns = () => measureOrders(Number(count), runs);
    await step(`Driving ${count} orders at once`, measureRuns);
  }
  return [row('This machine', 'a fixed loop, before and after each measurement', 'ms', loops), ...rows];
}

async function main(): Promise<void> {
  const { quick, help } = parseArgs({ options: { quick: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  if (help) return void process.stdout.write(HELP);
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  // Signals must run the exit handlers, which stop the laptop and remove the folder.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const rows = await measure(quick ? QUICK : FULL, directory);
  const machine = { cores: cpus().length, node: process.version, platform: process.platform };
  const results = { at: new Date().toISOString(), machine, rows };
  writeFileSync(new URL('results.json', import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
  const shown = rows.map(({ values, ...what }) => ({
    ...what,
    median: Number(median(values).toFixed(2)),
    runs: values.length,
  }));
  console.table(shown);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
