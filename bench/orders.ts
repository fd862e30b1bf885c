import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LaptopClient } from './laptop-client.ts';
import { LaptopProcess } from './laptop-process.ts';
import { type Lateness, latenessOf } from './lateness.ts';
import { type CpuParts, cpuParts } from './parts-cpu.ts';
import { type TimeParts, timeParts } from './parts-time.ts';

/** A batch of orders at once. Milliseconds and bytes. */
export interface OrdersRun {
  orders: number;
  /** Orders that failed because the laptop was too slow: the simulated bank had closed them before their second confirm. */
  notClosed: number;
  wall: number;
  cpu: number;
  peakResidentSet: number;
  lateness: Lateness;
  timeParts: TimeParts;
  /** Only with a profile, which slows the run down. */
  cpuParts?: CpuParts;
}

/** One `npm start`: time until the first order shows, memory at rest, and the bench's batches of orders. */
export interface LaptopRun {
  firstOrderShown: number;
  idleResidentSet: number;
  orders: OrdersRun[];
}

/** How long to wait after the last example has ended. Milliseconds. */
const REST = 2_000;
/** How many histories are read. Their orders are picked evenly. */
const HISTORIES = 20;

export interface LaptopRunOptions {
  /** The sizes of the batches, which run one after the other. */
  batches: number[];
  /** Whether to profile the main thread. */
  profile?: boolean;
}

export async function runLaptop({ batches, profile = false }: LaptopRunOptions): Promise<LaptopRun> {
  const laptop = new LaptopProcess();
  try {
    for (const end of ['two-offers +ended as CLOSED', 'manual +waits for your signatures'])
      await laptop.printed(new RegExp(`${end}`));
    await delay(REST);
    const { residentSet: idleResidentSet } = await laptop.usage();
    const client = await LaptopClient.of(laptop);
    const orders: OrdersRun[] = [];
    for (const count of batches) orders.push(await runOrders(laptop, client, count, profile));
    return { firstOrderShown: laptop.firstOrderShown, idleResidentSet, orders };
  } finally {
    await laptop.close();
  }
}

async function runOrders(
  laptop: LaptopProcess,
  client: LaptopClient,
  count: number,
  profile: boolean,
): Promise<OrdersRun> {
  const orderRefs = Array.from({ length: count }, (_, index) => `bench-${count}-${index + 1}`);
  const ended = endsOf(laptop, orderRefs);
  if (profile) await laptop.ask({ ask: 'start profile' });
  const before = await laptop.usage();
  const [begunAt, begun] = [Date.now(), performance.now()];
  const uploadedAt = await client.upload(orderRefs);
  const notClosed = await Promise.race([ended, laptop.lost()]);
  const wall = performance.now() - begun;
  const after = await laptop.usage();
  const spent = { all: after.cpu - before.cpu, mainThread: after.mainThreadCpu - before.mainThreadCpu };
  const profiled = profile ? await cpuParts(laptop, spent, count) : undefined;
  const picked = orderRefs.filter((_, index) => index % Math.ceil(count / HISTORIES) === 0);
  return {
    orders: count,
    notClosed,
    wall,
    cpu: spent.all,
    peakResidentSet: after.peakResidentSet,
    lateness: latenessOf((await client.calls()).filter(({ at }) => at >= begunAt)),
    timeParts: timeParts(await client.histories(picked), uploadedAt),
    ...(profiled && { cpuParts: profiled }),
  };
}

/** Resolves when the laptop has printed the ends of all these orders, with the number of orders that are not CLOSED. */
function endsOf(laptop: LaptopProcess, orderRefs: string[]): Promise<number> {
  const open = new Set(orderRefs);
  let notClosed = 0;
  return new Promise((resolve) => {
    laptop.follow((line) => {
      const [, orderRef = '', end] = /(\S+) +ended as (\S+)$/.exec(line) ?? [];
      if (!open.delete(orderRef)) return;
      if (end !== 'CLOSED') notClosed += 1;
      if (open.size === 0) resolve(notClosed);
    });
  });
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { orders: { type: 'string', default: '100' }, profile: { type: 'boolean', default: false } },
  });
  process.once('SIGINT', () => process.exit(130));
  const batches = values.orders.split(',').map(Number);
  const run = await runLaptop({ batches, profile: values.profile });
  process.stdout.write(`${JSON.stringify(run, undefined, 2)}\n`);
}
