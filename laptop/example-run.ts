import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { FaultState } from '@business-loan-orders/order-simulator';
import type { SimulatedLaptop } from './laptop.ts';
import { keepSignerFiles } from './people/person.ts';
import type { Progress } from './progress.ts';
import { followOrders, ownPackage, print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from './run.ts';

const folder = new URL('../examples/', import.meta.url);

/** How long the examples may take to reach their ends. Milliseconds. */
const ONCE_LIMIT = 120_000;

/** Uploads the examples and prints their progress. Returns the exit code. */
export async function runExamples(laptop: SimulatedLaptop, { once, stopped }: Run): Promise<number> {
  const examples = listExamples();
  const persons = new Set(examples.filter(({ byPerson }) => byPerson).map(({ name }) => name));
  const say = stopwatch();
  laptop.simulator.onFault((state) => say('simulator', faultLine(state)));
  const orders = followOrders(laptop, {
    say,
    isPersons: (orderRef) => persons.has(orderRef),
    files: keepSignerFiles(),
    leaves: persons,
    signedLine: (documents) => `the partner's signer signed ${documents} documents`,
  });
  printEndpoints(laptop, simulatorLines(laptop.simulator.url), ...ownPackage(laptop));
  orders.signer.start();
  try {
    const { s3, outputs } = laptop;
    for (const example of examples) await uploadExample(s3, outputs.IntakeBucket ?? '', example, example.name);
    return await follow(orders.progress, examples, once, stopped);
  } finally {
    await orders.stop();
  }
}

/** What somebody switched at the simulator. */
function faultLine({ fault, status }: FaultState): string {
  return status === undefined ? fault : `${fault}, status ${status}`;
}

/** Waits until the run is stopped, or with `once` until every example has ended. Returns the exit code. */
async function follow(progress: Progress, examples: Example[], once: boolean, stopped: AbortSignal): Promise<number> {
  if (once) {
    const limit = AbortSignal.any([stopped, AbortSignal.timeout(ONCE_LIMIT)]);
    const names = examples.map(({ name }) => name);
    await progress.untilEnded(names, limit);
    if (!stopped.aborted) return judge(progress, examples);
  }
  await progress.untilStopped(stopped);
  return stop(once);
}

function judge(progress: Progress, examples: Example[]): number {
  const wrong = examples.filter(({ name, end }) => progress.ends().get(name) !== end);
  for (const { name, end } of wrong) {
    print(`FAILED: ${name} should end as ${end}, but ${actualEnd(progress, name)}.`);
  }
  if (wrong.length === 0) print(`All ${examples.length} examples reached their ends.`);
  for (const { name, end, byPerson } of examples) {
    if (byPerson) print(`${name} waits for a person (${end}). Run without --once to sign it and decide on its offers.`);
  }
  return wrong.length === 0 ? 0 : 1;
}

function actualEnd(progress: Progress, name: string): string {
  const end = progress.ends().get(name);
  return end === undefined ? 'did not end in time' : `ended as ${end}`;
}

/** An order package of `examples/` and its end in `examples/README.md`. */
interface Example {
  name: string;
  end: string;
  /** Whether a person signs it and decides. Without the person, its end is WAITING_FOR_SIGNATURE. */
  byPerson: boolean;
}

/** Reads the examples and their expected ends from the table in `examples/README.md`. */
function listExamples(): Example[] {
  const page = readFileSync(new URL('README.md', folder), 'utf8');
  const rows = [...page.matchAll(/^\| ([a-z-]+) \|.*\| `([A-Z_]+)` \|$/gm)];
  const examples = rows.map(([, name, end]) => {
    return { name: name as string, end: end as string, byPerson: end === 'WAITING_FOR_SIGNATURE' };
  });
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const unnamed = folders.filter(({ name }) => !examples.some((example) => example.name === name));
  if (unnamed.length > 0)
    throw new Error(`examples/README.md has no row for ${unnamed.map(({ name }) => name).join(', ')}.`);
  return examples;
}

/** Uploads a package as a back office does: files first, `order.json` last. */
async function uploadExample(s3: S3Client, bucket: string, example: Example, orderRef: string): Promise<void> {
  const base = fileURLToPath(new URL(`${example.name}/`, folder));
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(base + file).isFile())
    .sort((one, other) => Number(one === 'order.json') - Number(other === 'order.json'));
  for (const file of files) {
    const ContentType = file.endsWith('.pdf') ? 'application/pdf' : 'application/json';
    const Key = `orders/${orderRef}/${file}`;
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: readFileSync(base + file), ContentType }));
  }
}
