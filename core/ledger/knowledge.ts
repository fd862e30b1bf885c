import { OrderError, OutcomeUnknown, Rejected, Unauthorized, UnexpectedResponse } from '../errors.ts';

/** What is known of an operation that is not known to be done. */
export type Undone =
  /** It was not done: never sent, or refused for certain. The next attempt sends it. */
  | { state: 'none' }
  /** An answer (429, 503) said that it was not done (assumed true: docs/assumptions.md). The next attempt sends it. */
  | { state: 'unlikely' }
  /** The outcome is unknown. The next attempt looks first. `refusals` repeats in a row were refused, the first one at `since`. */
  | { state: 'open'; refusals: number; since?: string };

/** What the ledger knows of an operation. docs/architecture.md, "The ledger", describes the four states. */
export type Knowledge = Undone | { state: 'done'; outcome: Record<string, unknown> };

export type State = Knowledge['state'];

export type CallFailure = 'refused' | 'turned away' | 'not sent' | 'lost';

export const NONE: Undone = { state: 'none' };
export const UNLIKELY: Undone = { state: 'unlikely' };
export const OPEN: Undone = { state: 'open', refusals: 0 };

/** A repeat's refusal is believed after this many refusals. There is a look before each repeat, but its read may be stale. */
const MAX_DOUBTED_REFUSALS = 4;
/** Milliseconds after the first refusal. After them a refusal is believed as well. */
const MAX_DOUBT_TIME = 120_000;

/**
 * What is known after a failed call. A repeat may be refused because an earlier attempt succeeded. So its refusal is
 * believed only if no earlier attempt can have succeeded, if nobody can look, or after several refusals.
 * @param canLook whether the service can be asked whether the operation was done.
 * @param now milliseconds since the epoch.
 */
export function learn(
  before: Undone,
  failure: CallFailure,
  { canLook, now }: { canLook: boolean; now: number },
): Undone {
  const isCounting = before.state === 'open' && before.refusals > 0;
  switch (failure) {
    case 'lost':
      return OPEN;
    case 'turned away':
      return isCounting ? before : UNLIKELY;
    case 'not sent':
      return before.state === 'open' && !isCounting ? UNLIKELY : before;
    case 'refused':
      return before.state === 'none' || !canLook ? NONE : afterRefusal(before, now);
  }
}

function afterRefusal(before: Undone, now: number): Undone {
  const { refusals, since = new Date(now).toISOString() } = before.state === 'open' ? before : { refusals: 0 };
  if (refusals >= MAX_DOUBTED_REFUSALS || now - Date.parse(since) >= MAX_DOUBT_TIME) return NONE;
  return { state: 'open', refusals: refusals + 1, since };
}

/** Whether the operation may have succeeded (`unlikely`, `open`). */
export function mayBeDone({ state }: Pick<Knowledge, 'state'>): boolean {
  return state === 'unlikely' || state === 'open';
}

export function callFailureOf(failure: unknown): CallFailure {
  if (failure instanceof Rejected) return 'refused';
  if (failure instanceof OutcomeUnknown || failure instanceof UnexpectedResponse || !(failure instanceof OrderError))
    return 'lost';
  return failure instanceof Unauthorized || failure.call.httpStatus === undefined ? 'not sent' : 'turned away';
}
