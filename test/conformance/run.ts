import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Case, EngineName, Outcome, Scope } from './case.ts';
import type { Engine } from './engines.ts';

export interface Suite {
  service: string;
  client: new (settings: object) => { send(command: never): Promise<unknown>; destroy(): void };
  cases: Case[];
  /** The caller has no rights but `restrictions` in template.ts. */
  isRestricted?: true;
}

/** A case with what an engine answered. */
export interface Result {
  service: string;
  case: Case;
  expected: string;
  got: string;
  /** `known` is a difference that the table explains. `stale` is an explained difference that is no longer there, or is another. */
  verdict: 'same' | 'known' | 'unexplained' | 'stale';
}

/** Seconds that AWS may need until everybody sees what was written, and between two looks. */
const PATIENCE = { all: 30, between: 0.5 };

/** Runs the cases of a suite in order. */
async function runSuite(suite: Suite, settings: object, scope: Scope, engine?: EngineName): Promise<Result[]> {
  const results: Result[] = [];
  for (const one of suite.cases) {
    const client = new suite.client({ ...settings, ...one.settings?.(scope) });
    const outcome = await outcomeOf(one, scope, (command) => client.send(command as never));
    client.destroy();
    results.push({ service: suite.service, case: one, ...judged(one, outcome, engine) });
  }
  return results;
}

async function outcomeOf(one: Case, scope: Scope, send: (command: object) => Promise<unknown>): Promise<Outcome> {
  const end = Date.now() + PATIENCE.all * 1000;
  for (;;) {
    const outcome = await answered(one, scope, send);
    if (!one.eventually || isDeepStrictEqual(outcome, one.expected) || Date.now() > end) return outcome;
    await wait(PATIENCE.between * 1000);
  }
}

async function answered(one: Case, scope: Scope, send: (command: object) => Promise<unknown>): Promise<Outcome> {
  try {
    const output = (await send(one.command(scope))) as never;
    Object.assign(scope, one.keep?.(output));
    return { answer: await one.pick(output) };
  } catch (error) {
    const { name, message } = error as Error;
    // An error of the suite itself is no answer: its message must be seen.
    return { error: '$metadata' in (error as object) ? name : `${name}: ${message}` };
  }
}

function judged(one: Case, outcome: Outcome, engine?: EngineName): Pick<Result, 'expected' | 'got' | 'verdict'> {
  const [expected, got] = [inWords(one.expected), inWords(outcome)];
  const known = engine && one.differs[engine];
  if (known) return { expected, got, verdict: known.got === got ? 'known' : 'stale' };
  return { expected, got, verdict: isDeepStrictEqual(outcome, one.expected) ? 'same' : 'unexplained' };
}

function inWords(outcome: Outcome): string {
  return 'error' in outcome ? outcome.error : JSON.stringify(outcome.answer ?? null);
}

/** Runs all suites, one beside the other. */
export async function runAll(suites: Suite[], { settings, scope, restricted, name }: Engine): Promise<Result[]> {
  const results = suites.map((suite) =>
    runSuite(suite, suite.isRestricted ? restricted : settings, { ...scope }, name),
  );
  return (await Promise.all(results)).flat();
}
