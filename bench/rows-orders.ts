import type { Measurements } from './measurements.ts';
import type { OrdersRun } from './orders.ts';
import type { PlainRun } from './plain-script.ts';
import { sampleOf } from './sample.ts';
import { type Column, type Row, rowsOfRuns } from './table.ts';

const SECOND = 1_000;
const MEGABYTE = 1e6;

/** A batch of orders, with the memory of its laptop at rest. */
type Batch = OrdersRun & { idle: number };

const costs: Column<Batch>[] = [
  ['wall time', 's', ({ wall }) => wall / SECOND],
  ['wall time of each', 'ms', ({ wall, orders }) => wall / orders],
  ['CPU time of each', 'ms', ({ cpu, orders }) => cpu / orders],
  ['most memory', 'MB', ({ peakResidentSet }) => peakResidentSet / MEGABYTE],
  [
    'memory of each, above rest',
    'MB',
    ({ peakResidentSet, idle, orders }) => (peakResidentSet - idle) / orders / MEGABYTE,
  ],
  ['orders that came too late to be closed', 'count', ({ notClosed }) => notClosed],
];

const plainCosts: Column<PlainRun>[] = [
  ['wall time of each', 'ms', ({ wall, orders }) => wall / orders],
  ['CPU time of each', 'ms', ({ cpu, orders }) => cpu / orders],
  ['most memory', 'MB', ({ peakResidentSet }) => peakResidentSet / MEGABYTE],
];

/** The batches of all runs, by the number of orders. */
export function batchesOf({ laptops }: Measurements): Map<number, Batch[]> {
  const runs = laptops.flatMap(({ orders, idleResidentSet: idle }) => orders.map((run) => ({ ...run, idle })));
  return Map.groupBy(runs, ({ orders }) => orders);
}

/** The costs of orders at once, also in fixed loops, and as a ratio to the plain script if that drove as many orders. */
export function ordersRows(measured: Measurements): Row[] {
  const loop = sampleOf(measured.fixedLoop).median;
  const inLoops: Column<Batch> = [
    'CPU time of each, in fixed loops',
    'ratio',
    ({ cpu, orders }) => cpu / orders / loop,
  ];
  return [...batchesOf(measured)].flatMap(([orders, runs]) => {
    const columns = [...costs, inLoops, ...besidePlainScript(measured, orders)];
    return rowsOfRuns(orders === 1 ? 'One order alone' : `${orders} orders at once`, runs, columns);
  });
}

function besidePlainScript({ plain: { pool } }: Measurements, orders: number): Column<Batch>[] {
  if (pool[0]?.orders !== orders) return [];
  const wall = sampleOf(pool.map((run) => run.wall)).median;
  const cpu = sampleOf(pool.map((run) => run.cpu)).median;
  return [
    ['wall time, beside a plain script', 'ratio', (run) => run.wall / wall],
    ['CPU time, beside a plain script', 'ratio', (run) => run.cpu / cpu],
  ];
}

export function plainRows({ plain: { pool, sequence } }: Measurements): Row[] {
  const group = `The same calls for ${pool[0]?.orders} orders by a plain script`;
  const columnsOf = (by: string) => plainCosts.map(([what, ...rest]): Column<PlainRun> => [`${by}, ${what}`, ...rest]);
  return [
    ...rowsOfRuns(group, pool, columnsOf('an undici pool')),
    ...(sequence ? rowsOfRuns(group, sequence, columnsOf('fetch, one call at a time')) : []),
  ];
}

export function latenessRows(measured: Measurements): Row[] {
  return [...batchesOf(measured)].flatMap(([orders, runs]) => {
    const at = orders === 1 ? 'one order alone' : `${orders} orders at once`;
    return rowsOfRuns('Lateness of polls', runs, [
      [`${at}, median`, 'ms', ({ lateness }) => lateness.median],
      [`${at}, 95 of 100`, 'ms', ({ lateness }) => lateness.p95],
      [`${at}, latest`, 'ms', ({ lateness }) => lateness.maximum],
      [`${at}, early`, 'count', ({ lateness }) => lateness.early, 0],
    ]);
  });
}
