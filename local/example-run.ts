import { type Example, listExamples, uploadExample } from './examples.ts';
import type { SimulatedLaptop } from './laptop.ts';
import { PartnerSigner } from './people/partner-signer.ts';
import { commandsFor, keepSignerFiles } from './people/person.ts';
import { Progress } from './progress.ts';
import { OWN_PACKAGE, placeOf, print, printEndpoints, type Run, simulatorLines, stop, stopwatch } from './run.ts';

/** Milliseconds for all examples to reach their ends. */
const ONCE_LIMIT = 120_000;

/** Uploads the examples and shows what becomes of them; the answer is the exit code. */
export async function runExamples(laptop: SimulatedLaptop, { once, stopped }: Run): Promise<number> {
  const say = stopwatch();
  const { s3, outputs, aws } = laptop;
  const stagingBucket = outputs.StagingBucket ?? '';
  const examples = listExamples();
  const persons = new Set(examples.filter(({ byPerson }) => byPerson).map(({ name }) => name));
  const [place, files] = [placeOf(laptop), keepSignerFiles()];
  const progress = new Progress({
    s3,
    stagingBucket,
    table: outputs.OrderTable ?? '',
    watch: aws.watch,
    print: say,
    isPersons: (orderRef) => persons.has(orderRef),
    tell: (turn) => commandsFor(turn, place, files),
  });
  const signer = new PartnerSigner({
    s3,
    stagingBucket,
    watch: aws.watch,
    leaves: persons,
    onSigned: (orderRef, documents) => say(orderRef, `the partner's signer signed ${documents} documents`),
    onError: (error) => say('signer', error.message),
  });
  printEndpoints(laptop, simulatorLines(laptop.simulator.url), ...OWN_PACKAGE);
  signer.start();
  try {
    for (const example of examples) await uploadExample(s3, outputs.IntakeBucket ?? '', example, example.name);
    return await follow(progress, examples, once, stopped);
  } finally {
    await Promise.all([signer.stop(), progress.stop()]);
  }
}

/** Serves until stopped, or with `once` until every example has ended; the answer is the exit code. */
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
    print(`FAILED: ${name} should end as ${end}, but ${progress.ends().get(name) ?? 'has not ended in time'}.`);
  }
  if (wrong.length === 0) print(`All ${examples.length} examples reached their ends.`);
  for (const { name, end, byPerson } of examples) {
    if (byPerson)
      print(`${name} waits for a person as ${end}: run without --once to sign it and decide on its offers.`);
  }
  return wrong.length === 0 ? 0 : 1;
}
