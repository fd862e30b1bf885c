import { randomUUID } from 'node:crypto';
import {
  type CallContext,
  type LoggedFacts,
  loggable,
  OrderError,
  OutcomeUnknown,
  Rejected,
  rebuilt,
  ServiceUnavailable,
  UnexpectedResponse,
} from '../errors.ts';
import { logger } from '../log.ts';
import { count } from '../metrics.ts';
import type { CallFailure } from '../service/what-answers-prove.ts';
import { timeIn } from '../time.ts';
import {
  type Attempt,
  begin,
  beginAgain,
  type EntryTable,
  type LedgerEntry,
  REPEAT_REFUSED,
  recordFailure,
  recordOutcome,
  recordVerdict,
  refusedWords,
} from './entry.ts';
import { hasOtherContent, type IdempotencyRule, idempotencyOf } from './idempotency.ts';
import { callFailureOf, type IfUnknown, learn, maySendAgain, NONE, type Undone } from './knowledge.ts';

/** The owner of operations, such as an order. */
export interface Subject {
  /** The subject's name in messages: `Order order-10045`. Contains no personal data. */
  name: string;
  table: EntryTable;
  /** Key of the record that holds the operations. */
  key: Record<string, string>;
  /** The generation that drives the subject. */
  generation?: number;
  /** The last generation that a person started with a retry. Default: 1. */
  retriedIn?: number | undefined;
  /** About how many seconds until reads show whether a refused accept or confirm was done. */
  settlingSeconds?: number;
  /** Obeys `Retry-After`. */
  withPatience<Result>(call: () => Promise<Result>): Promise<Result>;
  /** @throws Throttled while the service asks us to back off. */
  refuseWhileThrottled(): void;
  /** Delays an operation that an outage prevented. @throws Throttled while it must wait. */
  waitAfterOutage?(settledAt: string): Promise<void>;
  /** Adds a line to the timeline that operators read. */
  addToTimeline(what: 'Sent again', facts: LoggedFacts): Promise<void>;
  /** Without it, calls have no idempotency keys. */
  idempotency?: IdempotencyRule | undefined;
  /** Tells the operator what to do if an operation that is never repeated has an unknown outcome. */
  findOut: string;
  /** Whether a status proves that a call was not done, as the stage declares. */
  provesNotDone(operation: string, httpStatus: number): boolean;
}

/** Recorded in place of an error if nothing had to be sent. */
const NOT_SENT = { name: 'NotSent' };

/** `Outcome` includes undefined if the call may find that nothing has to be sent. */
export interface Operation<Outcome = Record<string, unknown> | undefined> {
  subject: Subject;
  /** The same in all retries, because it is created outside the retried code: `create`, `upload-document#0@<version>`, … */
  name: string;
  /** Checks whether the call may be made, unless it is already done. If this fails, nothing has been sent. */
  prepare?(): Promise<void>;
  /** The call that changes something at the service. Returns undefined if nothing had to be sent. */
  call(context: CallContext): Promise<Outcome>;
  /** The content of the call. Needed if attempts may send different content and a read cannot show which of them succeeded. */
  intent?: Record<string, unknown>;
  unknown: IfUnknown;
}

/**
 * Makes a call that changes something, through the ledger: records `open` before the call and what the answer showed after it. If the
 * operation is already done, returns the recorded outcome and makes no call.
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
    await stopAsBefore(operation, attempt, earlier);
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
  const { table, generation, idempotency: rule } = subject;
  const idempotency = rule && idempotencyOf(rule, attemptId, earlier, intent);
  return { table, key, attemptId, generation, context: { ...kept, idempotency, requestId: attemptId } };
}

/**
 * An earlier attempt was not done. A refusal is final then. If a read had to show it, and the function was not killed, an outage was the
 * cause, so the next attempt waits. A person can end either: by a retry, or by a decision that sends something else.
 * @throws Rejected, Throttled
 */
async function stopAsBefore(operation: Operation, attempt: Attempt, earlier: LedgerEntry): Promise<void> {
  const { subject, name, unknown, intent } = operation;
  const { knowledge, failure, generation, refusedIn, call, settledAt } = earlier;
  const isOther = hasOtherContent(earlier, intent);
  if (unknown !== 'look' || knowledge.state !== 'none' || generation === undefined || isOther) return;
  const retriedIn = subject.retriedIn ?? 1;
  if (failure !== 'Rejected') {
    const isOutage = settledAt !== undefined && failure !== undefined && generation >= retriedIn;
    return isOutage ? subject.waitAfterOutage?.(settledAt) : undefined;
  }
  if (refusedIn !== undefined && refusedIn < retriedIn) return;
  await recordVerdict(attempt, earlier);
  throw new FinalRefusal(
    `${subject.name}: ${refusedWords(kindOf(name))} (${call.httpStatus}), and it was not done. Its answer is in staging under errors/. A retry sends it again.`,
    { call },
  );
}

/** An earlier attempt was refused, and it is certain that it was not done. */
export class FinalRefusal extends Rejected {}

/** An operation's name without its file, because a `fileId` may be personal. */
function kindOf(name: string): string {
  return name.split('#', 1)[0] ?? '';
}

/** Returns the outcome instead if it was recorded meanwhile. */
async function beginNextAttempt(operation: Operation, attempt: Attempt, earlier: LedgerEntry) {
  const isOpen = earlier.knowledge.state === 'open';
  if (isOpen) refuseWhileUnknown(operation, attempt);
  // If this fails, the entry is unchanged: the new attempt has not begun.
  await operation.prepare?.();
  const outcome = await beginAgain(attempt, earlier);
  if (outcome) return outcome;
  count('CallsSentAgain', { cause: isOpen ? 'OutcomeUnknown' : 'NotDone' });
  if (isOpen) await recordRepeat(operation.subject, attempt);
  return undefined;
}

/** @throws OutcomeUnknown unless the operation may be sent again. */
function refuseWhileUnknown({ unknown, subject, name }: Operation, { context }: Attempt): void {
  if (maySendAgain(unknown, context.idempotency?.until)) return;
  const next = unknown === 'look' ? READS_SHOW : `It is never repeated: ${subject.findOut}`;
  throw new OutcomeUnknown(
    `${subject.name}: the outcome of an earlier attempt of ${kindOf(name)} is unknown. Nothing was sent. ${next}`,
  );
}

const READS_SHOW = 'The next reads of the order show it.';

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
        learned = learnFrom(operation, callFailureOf(error), learned, error);
        throw error;
      }
    });
    if (!outcome) await recordFailure(attempt, learned, NOT_SENT);
    return outcome;
  } catch (error) {
    const facts = { ...learned, ...refusalFacts(operation, learned, error) };
    // If this fails, the entry stays open, which is safe. The call's error is the one to report.
    await Promise.allSettled([recordFailure(attempt, facts, error as OrderError)]);
    throw reported(operation, learned, error, attempt);
  }
}

interface Learned {
  knowledge: Undone;
  /** The content of the last call that may have succeeded. */
  intent?: Record<string, unknown>;
}

/** What is known after one more failed call. */
function learnFrom(operation: Operation, failure: CallFailure, before: Learned, error?: unknown): Learned {
  const knowledge = learn(before.knowledge, failure, operation.unknown, isDeclared(operation, error));
  const sent = failure === 'not sent' ? before.intent : operation.intent;
  return { knowledge, ...(sent && { intent: sent }) };
}

function isDeclared({ subject, name }: Operation, error: unknown): boolean {
  const status = error instanceof OrderError ? error.call.httpStatus : undefined;
  return status !== undefined && subject.provesNotDone(kindOf(name), status);
}

/** A refusal of an accept or a confirm is checked by reads, unless the stage declares that it proves that nothing was done. */
function refusalFacts({ unknown, subject }: Operation, { knowledge }: Learned, error: unknown) {
  if (unknown !== 'look' || !(error instanceof Rejected)) return {};
  if (knowledge.state !== 'open') return { refusedIn: subject.generation };
  return { finalAbout: timeIn(subject.settlingSeconds ?? 0) };
}

/** Whether the service has refused the call. The call may still have been done if the error says that its outcome is unknown. */
export const isRefusal = (error: Error) => error instanceof Rejected || error.cause instanceof Rejected;

/** A creation of unknown outcome that is sent again by itself, as after any outage. */
export class SentAgainLater extends ServiceUnavailable {}

/** The error to report. It says so if the call was answered but may have been done all the same. */
function reported(operation: Operation, { knowledge }: Learned, error: unknown, attempt: Attempt): unknown {
  const { unknown, subject, name } = operation;
  if (!(error instanceof OrderError)) return error;
  const { idempotency } = attempt.context;
  const isOpen = knowledge.state === 'open';
  if (isOpen && unknown === 'never' && maySendAgain(unknown, idempotency?.until) && !isVerdict(operation, error)) {
    if (!['lost', 'refused'].includes(callFailureOf(error))) return error;
    const again = `Until ${idempotency?.until} it is sent again by itself, with the same idempotency key`;
    return rebuilt(SentAgainLater, `${error.message} ${again}. Then ${subject.findOut}`, error);
  }
  const isUnknown = error instanceof OutcomeUnknown || error instanceof UnexpectedResponse;
  // Nobody must find out what came of a call that is sent again.
  if (isUnknown && (unknown === 'again' || !isOpen)) return rebuilt(ServiceUnavailable, error.message, error);
  const { httpStatus, postponedUntil } = error.call;
  if (!isOpen || httpStatus === undefined || postponedUntil !== undefined || error instanceof OutcomeUnknown)
    return error;
  const what = `${subject.name}: the service answered ${httpStatus} to ${kindOf(name)}. It may have been done all the same`;
  if (unknown === 'again')
    return error instanceof Rejected ? rebuilt(Rejected, `${what}: ${REPEAT_REFUSED}.`, error) : error;
  if (unknown === 'never' && error instanceof UnexpectedResponse) return error;
  const next = unknown === 'look' ? READS_SHOW : `It is never repeated: ${subject.findOut}`;
  return rebuilt(OutcomeUnknown, `${what}. ${next}`, error);
}

/** Whether a person must act: the service refuses the call itself, or answered with the `orderId` of another order. */
const isVerdict = (operation: Operation, error: OrderError) =>
  error instanceof Rejected
    ? isDeclared(operation, error)
    : error instanceof UnexpectedResponse && error.call.httpStatus === undefined;

/** Shows operators that the service may now have the file twice. */
async function recordRepeat(subject: Subject, { context }: Attempt): Promise<void> {
  const facts = loggable(context);
  logger.warn('Sent again: the outcome of the last attempt is unknown', facts);
  await subject.addToTimeline('Sent again', facts);
}
