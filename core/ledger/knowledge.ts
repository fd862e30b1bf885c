import { OrderError, OutcomeUnknown, Rejected, Throttled, UnexpectedResponse } from '../errors.ts';

/** What is known about an operation that is not known to be done. */
export type Undone =
  /** It was not done: never sent, or refused for certain, or a believed read shows it. The next attempt sends it. */
  | { state: 'none' }
  /** An answer is assumed to mean that a creation was not done (docs/assumptions.md). The next attempt sends it. */
  | { state: 'unlikely' }
  /** The outcome is unknown. The next attempt checks first. */
  | { state: 'open' };

/** What the ledger knows about an operation. docs/architecture.md, "The ledger", describes the four states. */
export type Knowledge = Undone | { state: 'done'; outcome: Record<string, unknown> };

export type State = Knowledge['state'];

export type CallFailure = 'refused' | 'turned away' | 'not sent' | 'lost';

export const NONE: Undone = { state: 'none' };
export const UNLIKELY: Undone = { state: 'unlikely' };
export const OPEN: Undone = { state: 'open' };

/**
 * What to do if the outcome of an earlier attempt is unknown: `never` repeat it, because only a person can find out (creations); send it
 * `again`, because a second copy does no harm (uploads); or wait until reads show it (`look`: accepts and confirms).
 */
export type IfUnknown = 'never' | 'again' | 'look';

/** The statuses that prove by default that a creation was not done: the work does not begin before such a check. */
export const NOT_CREATED = [400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429, 503];

/**
 * What is known after a failed call. Gateways repeat calls by themselves, and answer 4xx, 429 and 5xx also after the work was done. So only
 * a call that was not sent leaves the knowledge unchanged.
 * @param isDeclared whether the stage declares that this status proves that nothing was done.
 */
export function learn(before: Undone, failure: CallFailure, ifUnknown: IfUnknown, isDeclared: boolean): Undone {
  if (failure === 'not sent') return before;
  const isProof = ifUnknown === 'again' ? failure === 'refused' : isDeclared && failure !== 'lost';
  if (!isProof || before.state === 'open') return OPEN;
  if (failure === 'turned away') return ifUnknown === 'never' ? UNLIKELY : NONE;
  return before.state === 'none' ? NONE : OPEN;
}

/** Whether the operation may have succeeded (`unlikely`, `open`). */
export function mayBeDone({ state }: Pick<Knowledge, 'state'>): boolean {
  return state === 'unlikely' || state === 'open';
}

/** A service answers 401 and 403 before the work (docs/assumptions.md), even after a retry with a newer token. */
const BEFORE_THE_WORK = [401, 403];

export function callFailureOf(failure: unknown): CallFailure {
  if (failure instanceof OutcomeUnknown || failure instanceof UnexpectedResponse || !(failure instanceof OrderError))
    return 'lost';
  const { httpStatus } = failure.call;
  if (httpStatus === undefined || BEFORE_THE_WORK.includes(httpStatus)) return 'not sent';
  if (failure instanceof Rejected) return 'refused';
  return failure instanceof Throttled ? 'turned away' : 'not sent';
}
