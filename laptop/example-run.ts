import type { FaultState } from '../packages/order-simulator/index.ts';
import { type Example, listExamples, uploadExample } from './examples.ts';
import { followOrders } from './follow-orders.ts';
import type { SimulatedLaptop } from './laptop.ts';
import { keepSignerFiles } from './people/person.ts';
import type { Progress } from './progress.ts';
import { ownPackage, print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from './run.ts';

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
