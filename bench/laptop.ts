import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { examplePackage, uploadPackage } from '../laptop/example-package.ts';
import type { Usage } from './meter.ts';
import { type Row, rowsOf } from './table.ts';

/** One start of the laptop, then several orders at the same time. Milliseconds and bytes. */
interface LaptopRun extends Pick<Usage, 'cpu' | 'peakResidentSet'> {
  wall: number;
  firstOrderShown: number;
  memoryAtRest: number;
  /** Orders that failed because the laptop was too slow: the simulated bank closes an order two seconds after a confirm. */
  notClosed: number;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const meter = new URL('meter.ts', import.meta.url).href;

const REST = 2_000;
const UPLOADS_AT_ONCE = 16;

/** Drives `orders` orders at the same time on the laptop. */
export async function measureOrders(orders: number, runs: number): Promise<Row[]> {
  const measured: LaptopRun[] = [];
  while (measured.length < runs) measured.push(await runLaptop(orders));
  return rowsOf(orders === 1 ? 'One order alone' : `${orders} orders at once`, measured, [
    ['npm start until the first order shows', 's', ({ firstOrderShown }) => firstOrderShown / 1000],
    ['npm start at rest, memory', 'MB', ({ memoryAtRest }) => memoryAtRest / 1e6],
    ['time of each', 'ms', ({ wall }) => wall / orders],
    ['CPU time of each', 'ms', ({ cpu }) => cpu / orders],
    ['most memory', 'MB', ({ peakResidentSet }) => peakResidentSet / 1e6],
    ['orders that failed because the laptop was too slow', 'count', ({ notClosed }) => notClosed],
  ]);
}

async function runLaptop(count: number): Promise<LaptopRun> {
  const laptop = startLaptop();
  try {
    await laptop.printed(/two-offers +ended as CLOSED/);
    await laptop.printed(/manual +waits for your signatures/);
    await delay(REST);
    const [[, endpoint = ''] = []] = await laptop.printed(/^Embedded AWS +(\S+)$/);
    const [[, intake = ''] = []] = await laptop.printed(/^Intake bucket +(\S+)$/);
    const before = await laptop.usage();
    const begun = performance.now();
    await uploadPackages(endpoint, intake, count);
    const ends = await laptop.printed(/\bbench-\d+ +ended as (\S+)$/, count);
    const wall = performance.now() - begun;
    const { cpu, peakResidentSet } = await laptop.usage();
    return {
      firstOrderShown: laptop.firstOrderShown(),
      memoryAtRest: before.residentSet,
      wall,
      cpu: cpu - before.cpu,
      peakResidentSet,
      notClosed: ends.filter(([, end]) => end !== 'CLOSED').length,
    };
  } finally {
    await laptop.close();
  }
}

/** Starts the same program as `npm start`, with `meter.ts`. */
function startLaptop() {
  const startedAt = performance.now();
  const options = ['--port', '0', '--simulator-port', '0'];
  const command = ['--max-semi-space-size=4', '--import', meter, 'bin/loan-orders.js', 'local', ...options];
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const stop = () => void child.kill('SIGINT');
  process.once('exit', stop);
  const output: string[] = [];
  let firstOrderShown = 0;
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => {
    output.push(line);
    if (firstOrderShown === 0 && /^ *\d+\.\d s {2}\S/.test(line)) firstOrderShown = performance.now() - startedAt;
  });
  const lost = once(child, 'exit').then(() => {
    throw new Error(`The laptop ended too early.\n${output.join('\n')}`);
  });
  lost.catch(() => undefined);
  /** Resolves with the matches when `count` printed lines match. */
  const printed = async (pattern: RegExp, count = 1): Promise<RegExpExecArray[]> => {
    const matches: RegExpExecArray[] = [];
    for (let read = 0; matches.length < count; read += 1) {
      while (read === output.length) await Promise.race([once(lines, 'line'), lost]);
      const match = pattern.exec(output[read] ?? '');
      if (match) matches.push(match);
    }
    return matches;
  };
  return {
    firstOrderShown: () => firstOrderShown,
    printed,
    usage: async () => {
      const answer = once(child, 'message');
      child.send('usage');
      return (await answer)[0] as Usage;
    },
    close: async () => {
      process.off('exit', stop);
      stop();
      await lost.catch(() => undefined);
    },
  };
}

/** Uploads the example `count` times under different names, several at a time, as a back office does. */
async function uploadPackages(endpoint: string, intake: string, count: number): Promise<void> {
  const settings = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' } };
  const s3 = new S3Client(settings);
  const twoOffers = examplePackage('two-offers');
  const left = Array.from({ length: count }, (_, index) => `bench-${index + 1}`);
  const work = async () => {
    for (let orderRef = left.shift(); orderRef !== undefined; orderRef = left.shift())
      await uploadPackage(s3, intake, orderRef, twoOffers);
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
}
