import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Case, EngineName, Outcome, Scope } from './case.ts';
import { dynamoDb } from './cases/dynamodb.ts';
import { httpApis, lambda } from './cases/http-apis.ts';
import { events, sqs } from './cases/messages.ts';
import { iam, operations } from './cases/operations.ts';
import { s3 } from './cases/s3.ts';
import { kms, secretsManager } from './cases/secrets.ts';
import { stepFunctions } from './cases/step-functions.ts';
import type { Engine } from './engines.ts';

interface Suite {
  service: string;
  cases: Case[];
}

interface Result {
  service: string;
  case: Case;
  expected: string;
  got: string;
  /** `known` is a difference that the table explains. `stale` is an explained difference that is no longer there, or is another. */
  verdict: 'same' | 'known' | 'unexplained' | 'stale';
}

type SdkError = Error & { $metadata?: { httpStatusCode?: number } };
type Send = (command: object) => Promise<unknown>;

/** Milliseconds between two looks for an answer that comes after some time. */
const PAUSE = 200;

export const suites: Suite[] = [
  dynamoDb,
  s3,
  sqs,
  events,
  stepFunctions,
  secretsManager,
  kms,
  iam,
  operations,
  httpApis,
  lambda,
];

export async function runAll(engine: Engine): Promise<Result[]> {
  return (await Promise.all(suites.map((suite) => runSuite(suite, engine)))).flat();
}

async function runSuite({ service, cases }: Suite, engine: Engine): Promise<Result[]> {
  const scope = { ...engine.scope };
  const results: Result[] = [];
  for (const one of cases) {
    // A connection that is used again may be closed by the engine, and the case would be sent twice.
    const client = new one.Client(one.restricted ? engine.restricted : engine.settings);
    const result = await resultOf(one, scope, engine, (command) => client.send(command as never));
    results.push({ service, case: one, ...result });
    client.destroy();
  }
  return results;
}

type Judged = Pick<Result, 'expected' | 'got' | 'verdict'>;

async function resultOf(one: Case, scope: Scope, { patience, name }: Engine, send: Send): Promise<Judged> {
  const end = Date.now() + patience * 1000;
  for (;;) {
    const result = judged(one, await answered(one, scope, send), name);
    if (!one.eventually || result.verdict === 'same' || result.verdict === 'known' || Date.now() > end) return result;
    await wait(PAUSE);
  }
}

async function answered(one: Case, scope: Scope, send: Send): Promise<Outcome> {
  try {
    const output = (await send(one.command(scope))) as never;
    Object.assign(scope, one.keep?.(output));
    const answer = await one.pick(output);
    await readToEnd(output);
    return { answer };
  } catch (error) {
    return { error: errorOf(error as SdkError) };
  }
}

/** The name of the error that a service answered with; its status, if the service broke. */
function errorOf({ name, message, $metadata: answer }: SdkError): string {
  // An error of the suite itself is no answer: its message must be seen.
  if (!answer) return `${name}: ${message}`;
  const status = answer.httpStatusCode ?? 0;
  return status >= 500 ? `HTTP ${status}` : name;
}

/** A client that is destroyed while a body arrives ends the process with an error. */
async function readToEnd({ Body: body }: { Body?: { transformToByteArray(): Promise<unknown> } }): Promise<void> {
  await body?.transformToByteArray().catch(() => undefined);
}

function judged(one: Case, outcome: Outcome, engine?: EngineName): Judged {
  const [expected, got] = [inWords(one.expected), inWords(outcome)];
  const known = engine && one.differs[engine];
  if (known) return { expected, got, verdict: known.got === got ? 'known' : 'stale' };
  return { expected, got, verdict: isDeepStrictEqual(outcome, one.expected) ? 'same' : 'unexplained' };
}

function inWords(outcome: Outcome): string {
  if ('error' in outcome) return outcome.error;
  return typeof outcome.answer === 'string' ? outcome.answer : JSON.stringify(outcome.answer ?? null);
}

export function knownDifferences(results: Result[], engine?: string): string[] {
  const known = results.filter(({ verdict }) => verdict === 'known');
  return known.map((result) => `- ${sentence(result)} ${reasonOf(result, engine)} ${result.case.source}`);
}

export function problems(results: Result[], engine?: string): string[] {
  return results.flatMap((result) => {
    if (result.verdict === 'unexplained') return `${sentence(result)} ${result.case.source}`;
    if (result.verdict !== 'stale') return [];
    return `${sentence(result)} The difference in the table is another: ${reasonOf(result, engine)}`;
  });
}

function reasonOf({ case: { differs } }: Result, engine = ''): string {
  return differs[engine as keyof typeof differs]?.why ?? '';
}

function sentence({ service, case: { operation, title }, expected, got }: Result): string {
  return `${service} ${operation}: ${title}: AWS answers ${expected}, this engine ${got}.`;
}
