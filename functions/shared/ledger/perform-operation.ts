import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { OutcomeUnknown, Rejected } from '../errors.ts';
import { logger } from '../log.ts';
import {
  type Attempt,
  begin,
  beginAgain,
  type EntryTable,
  type LedgerEntry,
  recordFailure,
  recordOutcome,
} from './entry.ts';
import { evidenceOf, learn, mayBeDone, NONE, type Undone } from './knowledge.ts';

/** Whose operations these are: an order, or a file of the bank exchange. */
export interface Subject {
  /** How sentences name it: `Order order-10045`. Nothing personal. */
  name: string;
  table: EntryTable;
  /** Its record, which holds the operations. */
  key: Record<string, string>;
  /** Calls the service as it wishes to be called (`Retry-After`). */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled as long as the service asked us to back off. */
  refuseWhileThrottled(): void;
  /** Adds a line to the timeline that operators read. */
  addEvent(what: string, facts: Record<string, string | number>): Promise<void>;
  /** What to do about an operation that is never repeated, and whose outcome is unknown. */
  findOut: string;
}

export interface Operation<Outcome = Record<string, unknown>> {
  subject: Subject;
  /** Made outside the retried code, the same through all retries: `create`, `upload-document#0@<version>`, … */
  name: string;
  /** Makes sure that the call may be made, where it is not done yet; nothing has been sent when this fails. */
  prepare?(): Promise<void>;
  /** The call that changes something at the service. */
  call(): Promise<Outcome>;
  /** What the call is to do, where the next attempt may do another thing and a read tells only that one of them came through. */
  intent?: Record<string, unknown>;
  /**
   * What to do when an earlier outcome is unknown: `never` repeat, send `again`, or ask the service
   * whether it was done (a function, which answers the outcome, or undefined for "it was not").
   */
  unknown: 'never' | 'again' | (() => Promise<Outcome | undefined>);
}

/**
 * The one mechanism for every call that changes something: `open` is written before the call, conditionally; what the answer taught
 * after it. A repeat returns the recorded outcome and calls nobody.
 * @throws OutcomeUnknown where an operation that is never repeated has an unknown outcome; else what `call` throws.
 */
export async function performOperation<Outcome extends Record<string, unknown>>(
  operation: Operation<Outcome>,
): Promise<Outcome> {
  const { subject, name, intent } = operation;
  subject.refuseWhileThrottled();
  const key = { ...subject.key, item: `operation#${name}` };
  const attempt: Attempt = { subject: subject.name, table: subject.table, key, run: randomUUID(), intent };
  const earlier = await begin(attempt);
  if (earlier?.knowledge.state === 'done') return earlier.knowledge.outcome as Outcome;
  if (earlier) {
    const outcome = await takeUp(operation, attempt, earlier);
    if (outcome) return outcome as Outcome;
  }
  const outcome = await makeCall(operation, attempt, earlier);
  await recordOutcome(attempt, outcome);
  return outcome as Outcome;
}

/** Begins a further attempt, unless it turns out that an earlier one came through: then its outcome. */
async function takeUp(operation: Operation, attempt: Attempt, earlier: LedgerEntry) {
  const { subject, name, unknown } = operation;
  const found = isToReconcile(operation, earlier) ? await reconcile(operation) : undefined;
  if (found) {
    await recordOutcome(attempt, found);
    return found;
  }
  // A failure leaves the entry as it is: it is about the attempts before.
  await operation.prepare?.();
  const outcome = await beginAgain(attempt, earlier);
  if (outcome) return outcome;
  if (earlier.knowledge.state === 'open' && unknown === 'again') await tellSentAgain(subject, name, earlier);
  return undefined;
}

/** Nobody knows; or it may have come through, and another thing is to be sent in its place. */
function isToReconcile({ intent }: Operation, earlier: LedgerEntry): boolean {
  if (earlier.knowledge.state === 'open') return true;
  return mayBeDone(earlier.knowledge) && earlier.intent !== undefined && !isDeepStrictEqual(earlier.intent, intent);
}

async function reconcile({ unknown, subject, name }: Operation) {
  if (unknown === 'again') return undefined;
  if (unknown !== 'never') return unknown();
  throw new OutcomeUnknown(
    `${subject.name}: ${name} was begun before and nobody knows what came of it. It is never repeated: ${subject.findOut}`,
  );
}

/** Makes the call, and records what every answer but a success teaches. */
async function makeCall(operation: Operation, attempt: Attempt, earlier: LedgerEntry | undefined) {
  const { subject, call } = operation;
  let learnt: Learnt = { knowledge: undone(earlier), ...(earlier?.intent && { intent: earlier.intent }) };
  try {
    if (!earlier) await operation.prepare?.();
    return await subject.withPatience(async () => {
      try {
        return await call();
      } catch (error) {
        learnt = learnFrom(operation, error, learnt);
        throw error;
      }
    });
  } catch (error) {
    const failure = learnt.knowledge.state === 'open' && error instanceof Rejected ? doubt(operation, error) : error;
    // What goes wrong here leaves the entry open, which is safe; the error to report is the call's.
    await Promise.allSettled([recordFailure(attempt, { ...learnt, failure: (failure as Error).name })]);
    throw failure;
  }
}

interface Learnt {
  knowledge: Undone;
  /** What was sent last of what may have come through. */
  intent?: Record<string, unknown>;
}

function undone(earlier: LedgerEntry | undefined): Undone {
  return earlier && earlier.knowledge.state !== 'done' ? earlier.knowledge : NONE;
}

/** One attempt may call more than once: the service may ask for a repeat. Each call teaches something. */
function learnFrom({ unknown, intent }: Operation, error: unknown, before: Learnt): Learnt {
  const evidence = evidenceOf(error);
  const knowledge = learn(before.knowledge, evidence, { canLook: typeof unknown === 'function', now: Date.now() });
  // What was refused, or not sent, did not come through: what may have is what was sent before.
  const isThis = evidence === 'lost' || evidence === 'turned away' || !mayBeDone(before.knowledge);
  const sent = isThis ? intent : before.intent;
  return { knowledge, ...(sent && { intent: sent }) };
}

/** The error of a refusal that is not believed. */
function doubt({ subject, name }: Operation, error: Rejected): OutcomeUnknown {
  const { httpStatus, requestReference, excerpt } = error;
  const unknown = new OutcomeUnknown(
    `${subject.name}: a repeat of ${name} was refused (${httpStatus}), perhaps because an earlier attempt came through after all. The next one looks again before it sends anything.`,
    { cause: error, ...(httpStatus && { httpStatus }), ...(requestReference && { requestReference }) },
  );
  if (excerpt !== undefined) unknown.excerpt = excerpt;
  return unknown;
}

/** The service may have the file twice now, which operators shall see. */
async function tellSentAgain(subject: Subject, name: string, earlier: LedgerEntry): Promise<void> {
  const facts = { operation: name.split('#', 1)[0] ?? '', attempts: earlier.attempts + 1 };
  logger.warn('Sent again: nobody knows what came of the attempt before', facts);
  await subject.addEvent('Sent again', facts);
}
