import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { OrderError, OutcomeUnknown, Rejected, Unauthorized } from './errors.ts';
import { logger } from './log.ts';
import {
  begin,
  beginAgain,
  type Doubts,
  isUnproven,
  isUnsure,
  type OperationEntry,
  recordFailure,
  recordOutcome,
} from './operation-entry.ts';
import type { KeyOf, RecordTable } from './record-table.ts';

export type { OperationEntry } from './operation-entry.ts';

/** Whose operations these are: an order, or a file of the bank exchange. */
export interface Subject<Partition extends string> {
  /** How sentences name it: `Order order-10045`. Nothing personal. */
  name: string;
  table: RecordTable<Partition>;
  /** Its record, which holds the operations. */
  key: Record<Partition, string>;
  /** Calls the service as it wishes to be called (`Retry-After`). */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled as long as the service wants to be left alone. */
  refuseWhileThrottled(): void;
  /** Adds a line to the timeline that operators read. */
  addEvent(what: string, facts: Record<string, string | number>): Promise<void>;
  /** What is to be done about an operation that is never repeated, and of which nobody knows what came. */
  findOut: string;
}

export interface Operation<Outcome extends Record<string, unknown>, Partition extends string = string> {
  subject: Subject<Partition>;
  /** Made outside the retried code, the same through all retries: `create`, `upload-document#0@<version>`, … */
  name: string;
  /** Makes sure that the call may be made, where it is not done yet; nothing has been sent when this fails. */
  prepare?(): Promise<void>;
  /** The call that changes something at the service. */
  call(): Promise<Outcome>;
  /** What the call is to do, where it may be another thing in the next attempt and a read tells only that one of them came through. */
  intent?: Record<string, unknown>;
  /**
   * What to do when an earlier outcome is unknown: `never` repeat, send `again`, or ask the service
   * whether it was done (a function, which answers the outcome, or undefined for "it was not").
   */
  unknown: 'never' | 'again' | (() => Promise<Outcome | undefined>);
}

/**
 * The one mechanism for every call that changes something: the intent is written first, conditionally; the outcome after
 * the call; a repeat returns the recorded outcome and calls nobody.
 * @throws OutcomeUnknown where an operation that is never repeated has an unknown outcome; else what `call` throws.
 */
export async function performOperation<Outcome extends Record<string, unknown>, Partition extends string>(
  operation: Operation<Outcome, Partition>,
): Promise<Outcome> {
  const { subject, name, call } = operation;
  subject.refuseWhileThrottled();
  const key = { ...subject.key, item: `operation#${name}` } as KeyOf<Partition>;
  const attempt = { subject, key, run: randomUUID(), intent: operation.intent };
  const earlier = await begin(attempt);
  if (earlier?.state === 'done') return earlier.outcome as Outcome;
  if (earlier) {
    const reconciled = isToReconcile(operation, earlier) ? await reconcile(operation) : undefined;
    if (reconciled) return recordOutcome(attempt, reconciled);
    // A failure leaves the entry as it is: it is about the attempts before.
    await operation.prepare?.();
    const done = await beginAgain(attempt, earlier);
    if (done) return done.outcome as Outcome;
    if (earlier.state === 'intended' && operation.unknown === 'again') await tellSentAgain(subject, name, earlier);
  }
  let outcome: Outcome;
  let calls = 0;
  try {
    if (!earlier) await operation.prepare?.();
    outcome = await subject.withPatience(() => {
      calls += 1;
      return call();
    });
  } catch (error) {
    const { failure, facts } = judge(operation, error, earlier, calls);
    // What goes wrong here leaves the intent open, which is safe; the error to report is the call's.
    await Promise.allSettled([recordFailure(attempt, failure, facts)]);
    throw failure;
  }
  return recordOutcome(attempt, outcome);
}

/** An attempt of which nobody knows what came; or one that may have come through, before another thing is sent in its place. */
function isToReconcile<Outcome extends Record<string, unknown>, Partition extends string>(
  { intent }: Operation<Outcome, Partition>,
  earlier: OperationEntry,
): boolean {
  if (earlier.state === 'intended') return true;
  return isUnsure(earlier) && earlier.intent !== undefined && !isDeepStrictEqual(earlier.intent, intent);
}

/** What a failure of the last of so many calls says of the operation: the error to report, and what is recorded of it. */
function judge<Outcome extends Record<string, unknown>, Partition extends string>(
  operation: Operation<Outcome, Partition>,
  error: unknown,
  earlier: OperationEntry | undefined,
  calls: number,
) {
  const nothing = { doubts: undefined, proven: true as const, isUnsent: true as const };
  if (calls === 0 && !earlier) return { failure: error, facts: nothing };
  const mayBeDoneBefore = earlier !== undefined && isUnsure(earlier);
  const mayBeDone = calls > 1 || mayBeDoneBefore;
  const doubt = mayBeDone ? doubtOf(operation, error, earlier) : undefined;
  const failure = doubt ?? error;
  const proven = failure instanceof Rejected || (!mayBeDone && gotNowhere(failure));
  // It was refused, or not sent at all: what may have come through is what was sent before.
  const isNotThis = calls <= 1 && mayBeDoneBefore && (doubt !== undefined || gotNowhere(error));
  const intent = isNotThis ? earlier.intent : undefined;
  const doubts = doubtsAfter(failure, doubt !== undefined, earlier);
  return { failure, facts: { doubts, ...(proven && { proven: true as const }), ...(intent && { intent }) } };
}

/** Nothing was sent, or the service did not even know who asked. Any other answer may come from in front of a service that did its part. */
function gotNowhere(failure: unknown): boolean {
  if (isUnproven(failure)) return false;
  return failure instanceof Unauthorized || (failure instanceof OrderError && failure.httpStatus === undefined);
}

/**
 * A read may be stale, for a while. The refusal of a repeat is believed once the subject was read in vain so often since the first one,
 * or so many milliseconds after it.
 */
const LOOKS = 4;
const LONG_AFTER = 120_000;

/**
 * A call after one that was not refused may be refused because that one came through: what seemed to prove that nothing was done (a 429,
 * a read that was stale) did not. The intent stays open, and the next attempt looks; after enough of them the refusal counts.
 */
function doubtOf<Outcome extends Record<string, unknown>, Partition extends string>(
  { unknown, subject, name }: Operation<Outcome, Partition>,
  error: unknown,
  earlier: OperationEntry | undefined,
): OutcomeUnknown | undefined {
  if (!(error instanceof Rejected) || typeof unknown !== 'function') return undefined;
  const doubts = doubtsOf(earlier);
  if (doubts && (doubts.refusals >= LOOKS || Date.now() - Date.parse(doubts.since) >= LONG_AFTER)) return undefined;
  const { httpStatus, requestReference, excerpt } = error;
  const doubt = new OutcomeUnknown(
    `${subject.name}: a repeat of ${name} was refused (${httpStatus}), perhaps because an earlier attempt came through after all. The next one looks again before it sends anything.`,
    { cause: error, ...(httpStatus && { httpStatus }), ...(requestReference && { requestReference }) },
  );
  if (excerpt !== undefined) doubt.excerpt = excerpt;
  return doubt;
}

/** None where the last attempt was killed: it may have come through itself. */
function doubtsOf(earlier: OperationEntry | undefined): Doubts | undefined {
  return earlier?.failure === undefined ? undefined : earlier.doubts;
}

/** A failure that says nothing of the attempts before leaves the doubts as they are; one that may have come through begins anew. */
function doubtsAfter(failure: unknown, isDoubt: boolean, earlier: OperationEntry | undefined): Doubts | undefined {
  const before = doubtsOf(earlier);
  if (isDoubt) return { refusals: (before?.refusals ?? 0) + 1, since: before?.since ?? new Date().toISOString() };
  return failure instanceof Rejected || isUnproven(failure) ? undefined : before;
}

async function reconcile<Outcome extends Record<string, unknown>, Partition extends string>({
  unknown,
  subject,
  name,
}: Operation<Outcome, Partition>): Promise<Outcome | undefined> {
  if (unknown === 'again') return undefined;
  if (unknown !== 'never') return unknown();
  throw new OutcomeUnknown(
    `${subject.name}: ${name} was begun before and nobody knows what came of it. It is never repeated: ${subject.findOut}`,
  );
}

/** The service may have the file twice now, which operators shall see. */
async function tellSentAgain<Partition extends string>(
  subject: Subject<Partition>,
  name: string,
  earlier: OperationEntry,
): Promise<void> {
  const facts = { operation: name.split('#', 1)[0] ?? '', attempts: earlier.attempts + 1 };
  logger.warn('Sent again: nobody knows what came of the attempt before', facts);
  await subject.addEvent('Sent again', facts);
}
