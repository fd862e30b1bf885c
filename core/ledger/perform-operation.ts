import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type CallContext,
  type LoggedFacts,
  loggable,
  type OrderError,
  OutcomeUnknown,
  Rejected,
  rebuilt,
} from '../errors.ts';
import { logger } from '../log.ts';
import { count } from '../metrics.ts';
import {
  type Attempt,
  begin,
  beginAgain,
  type EntryTable,
  type LedgerEntry,
  recordFailure,
  recordOutcome,
} from './entry.ts';
import { type CallFailure, callFailureOf, learn, mayBeDone, NONE, type Undone } from './knowledge.ts';

/** What operations belong to, such as an order. */
export interface Subject {
  /** The subject as messages name it: `Order order-10045`. Nothing personal. */
  name: string;
  table: EntryTable;
  /** Key of the record that holds the operations. */
  key: Record<string, string>;
  /** Obeys `Retry-After`. */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled while the service asks us to back off. */
  refuseWhileThrottled(): void;
  /** Adds a line to the timeline that operators read. */
  addEvent(what: 'Sent again', facts: LoggedFacts): Promise<void>;
  /** Tells the operator what to do if an operation that is never repeated has an unknown outcome. */
  findOut: string;
}

/** Recorded in place of an error if nothing had to be sent. */
const NOT_SENT = { name: 'NotSent' };

/** `Outcome` includes undefined if the call may find that nothing has to be sent. */
export interface Operation<Outcome = Record<string, unknown> | undefined> {
  subject: Subject;
  /** The same in all retries, because it is made outside the retried code: `create`, `upload-document#0@<version>`, … */
  name: string;
  /** Checks that the call may be made, if it is not done yet. If this fails, nothing has been sent. */
  prepare?(): Promise<void>;
  /** The call that changes something at the service. Returns undefined if nothing had to be sent. */
  call(context: CallContext): Promise<Outcome>;
  /** What the call sends. Needed if attempts may send different things and a read cannot tell which of them succeeded. */
  intent?: Record<string, unknown>;
  /**
   * What to do if an earlier attempt's outcome is unknown: `never` repeat the call, send it `again`, or look. The function
   * looks: it returns the outcome, or undefined if the call was not done.
   */
  unknown: 'never' | 'again' | (() => Promise<Outcome | undefined>);
}

/**
 * Makes a call that changes something, through the ledger: records `open` before the call and what the answer showed after
 * it. If the operation is done already, returns the recorded outcome and makes no call.
 * @throws OutcomeUnknown if the outcome of an operation that is never repeated is unknown; else what `call` throws.
 */
export async function performOperation<Outcome extends Record<string, unknown> | undefined>(
  operation: Operation<Outcome>,
): Promise<Outcome> {
  operation.subject.refuseWhileThrottled();
  let attempt = attemptOf(operation);
  const earlier = await begin(attempt);
  if (earlier?.knowledge.state === 'done') return earlier.knowledge.outcome as Outcome;
  if (earlier) {
    attempt = attemptOf(operation, earlier);
    const outcome = await beginNextAttempt(operation, attempt, earlier);
    if (outcome) return outcome as Outcome;
  }
  const outcome = await makeCall(operation, attempt, earlier);
  if (outcome) await recordOutcome(attempt, outcome, attempt.context);
  return outcome as Outcome;
}

function attemptOf({ subject, name, intent }: Operation, earlier?: LedgerEntry): Attempt {
  const attemptId = randomUUID();
  const kept = { subject: subject.name, operation: kindOf(name), attempt: (earlier?.attempts ?? 0) + 1, intent };
  const key = { ...subject.key, item: `operation#${name}` };
  return { table: subject.table, key, attemptId, context: { ...kept, requestId: attemptId } };
}

/** An operation's name without the file that it is about, because a `fileId` may be personal. */
function kindOf(name: string): string {
  return name.split('#', 1)[0] ?? '';
}

/** Returns the outcome instead if an earlier attempt turns out to have succeeded. */
async function beginNextAttempt(operation: Operation, attempt: Attempt, earlier: LedgerEntry) {
  const { subject, unknown } = operation;
  const found = needsLook(operation, earlier) ? await look(operation) : undefined;
  if (found) {
    await recordOutcome(attempt, found);
    return found;
  }
  // If this fails, the entry stays as it is: the new attempt has not begun.
  await operation.prepare?.();
  const outcome = await beginAgain(attempt, earlier);
  if (outcome) return outcome;
  count('CallsSentAgain', { cause: earlier.knowledge.state === 'open' ? 'OutcomeUnknown' : 'NotDone' });
  if (earlier.knowledge.state === 'open' && unknown === 'again') await recordRepeat(subject, attempt);
  return undefined;
}

/** Whether the outcome is unknown, or the operation may have been done and this attempt would send something else. */
function needsLook({ intent }: Operation, earlier: LedgerEntry): boolean {
  if (earlier.knowledge.state === 'open') return true;
  return mayBeDone(earlier.knowledge) && earlier.intent !== undefined && !isDeepStrictEqual(earlier.intent, intent);
}

async function look({ unknown, subject, name }: Operation) {
  if (unknown === 'again') return undefined;
  if (unknown !== 'never') return unknown();
  throw new OutcomeUnknown(
    `${subject.name}: the outcome of an earlier attempt of ${name} is unknown. It is never repeated: ${subject.findOut}`,
  );
}

async function makeCall(operation: Operation, attempt: Attempt, earlier: LedgerEntry | undefined) {
  const { subject, call } = operation;
  const before = earlier?.knowledge ?? NONE;
  const knowledge = before.state === 'done' ? NONE : before;
  let learned: Learned = { knowledge, ...(earlier?.intent && { intent: earlier.intent }) };
  try {
    if (!earlier) await operation.prepare?.();
    const outcome = await subject.withPatience(async () => {
      try {
        const outcome = await call(attempt.context);
        if (!outcome) learned = learnFrom(operation, 'not sent', learned);
        return outcome;
      } catch (error) {
        learned = learnFrom(operation, callFailureOf(error), learned);
        throw error;
      }
    });
    if (!outcome) await recordFailure(attempt, learned, NOT_SENT);
    return outcome;
  } catch (error) {
    const isDoubted = learned.knowledge.state === 'open' && error instanceof Rejected;
    const failure = isDoubted ? doubtedRefusal(operation, error) : error;
    // If this fails, the entry stays open, which is safe. The call's error is the one to report.
    await Promise.allSettled([recordFailure(attempt, learned, failure as OrderError)]);
    throw failure;
  }
}

interface Learned {
  knowledge: Undone;
  /** What the last call that may have succeeded sent. */
  intent?: Record<string, unknown>;
}

/** What is known after one more failed call. An attempt makes several calls if the service asks for a repeat. */
function learnFrom({ unknown, intent }: Operation, failure: CallFailure, before: Learned): Learned {
  const knowledge = learn(before.knowledge, failure, { canLook: typeof unknown === 'function', now: Date.now() });
  // A call that was refused or not sent did not succeed. Only a call before it may have.
  const isThis = failure === 'lost' || failure === 'turned away' || !mayBeDone(before.knowledge);
  const sent = isThis ? intent : before.intent;
  return { knowledge, ...(sent && { intent: sent }) };
}

function doubtedRefusal({ subject, name }: Operation, error: Rejected): OutcomeUnknown {
  return rebuilt(
    OutcomeUnknown,
    `${subject.name}: a repeat of ${name} was refused (${error.call.httpStatus}). An earlier attempt may have succeeded. The next attempt looks again before it sends anything.`,
    error,
  );
}

/** Shows operators that the service may now have the file twice. */
async function recordRepeat(subject: Subject, { context }: Attempt): Promise<void> {
  const facts = loggable(context);
  logger.warn('Sent again: the outcome of the last attempt is unknown', facts);
  await subject.addEvent('Sent again', facts);
}
