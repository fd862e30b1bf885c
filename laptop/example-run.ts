import { readdirSync, readFileSync } from 'node:fs';
import { examplePackage, examples as folder, uploadPackage } from './example-package.ts';
import type { SimulatedLaptop } from './laptop.ts';
import { keepSignerFiles } from './people/person.ts';
import { followOrders, ownPackage, print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from './run.ts';

/** Milliseconds that the examples may take. */
const ONCE_LIMIT = 120_000;

interface ExampleRun extends Run {
  isPersonSigning: boolean;
}

export async function runExamples(
  laptop: SimulatedLaptop,
  { once, isPersonSigning, stopped }: ExampleRun,
): Promise<number> {
  const examples = listExamples();
  const persons = new Set(examples.filter(({ byPerson }) => byPerson).map(({ name }) => name));
  const say = stopwatch();
  // Prints each change of the simulator's switches.
  laptop.simulator.onFault(({ fault, status }) =>
    say('simulator', status === undefined ? fault : `${fault}, status ${status}`),
  );
  const orders = followOrders(laptop, {
    say,
    isPersons: (orderRef, waitingFor) => persons.has(orderRef) || (isPersonSigning && waitingFor === 'signatures'),
    files: keepSignerFiles(),
    signedLine: (documents) => `the partner's signer signed ${documents} documents`,
  });
  const signatures = isPersonSigning
    ? 'yours, for every order (--no-signer)'
    : `made here, except for ${[...persons].join(', ')}   (--no-signer leaves all to you)`;
  const lines = [...simulatorLines(laptop.simulator.url), `Signatures        ${signatures}`];
  printEndpoints(laptop, lines, ...ownPackage(laptop));
  if (!isPersonSigning) orders.signer.start();
  const { progress } = orders;
  try {
    const { s3, outputs } = laptop;
    for (const { name } of examples) await uploadPackage(s3, outputs.IntakeBucket ?? '', name, examplePackage(name));
    if (once) {
      const haveEnded = () => examples.every(({ name }) => progress.ends.has(name));
      await progress.until(haveEnded, AbortSignal.any([stopped, AbortSignal.timeout(ONCE_LIMIT)]));
      if (!stopped.aborted) return judge(progress.ends, examples);
    }
    await progress.until(() => false, stopped);
    return stop(once);
  } finally {
    await orders.stop();
  }
}

function judge(ends: ReadonlyMap<string, string>, examples: Example[]): number {
  const wrong = examples.filter(({ name, end }) => ends.get(name) !== end);
  for (const { name, end } of wrong) {
    const actual = ends.has(name) ? `ended as ${ends.get(name)}` : 'did not end in time';
    print(`FAILED: ${name} should end as ${end}, but ${actual}.`);
  }
  if (wrong.length === 0) print(`All ${examples.length} examples reached their ends.`);
  for (const { name, end, byPerson } of examples) {
    if (byPerson) print(`${name} waits for a person (${end}). Run without --once to sign it and decide on its offers.`);
  }
  return wrong.length === 0 ? 0 : 1;
}

/** An order package of `examples/` and its end in `examples/README.md`. */
interface Example {
  name: string;
  end: string;
  /** Whether a person signs and decides. Without that person, it stays in WAITING_FOR_SIGNATURE. */
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
