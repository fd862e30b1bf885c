import { OrderError, OutcomeUnknown, Rejected, Unauthorized, UnexpectedResponse } from '../errors.ts';

/** What is known of an operation that is not done. */
export type Undone =
  /** It was not done: never sent, or refused for certain. The next attempt sends it. */
  | { state: 'none' }
  /** An answer said that it was not done (429, 503), which is true by assumption alone (docs/assumptions.md). The next attempt sends it. */
  | { state: 'unlikely' }
  /** Nobody knows. The next attempt looks first. Repeats of it were refused so often, since then, which is not believed yet. */
  | { state: 'open'; refusals: number; since?: string };

/** What the ledger knows of an operation. */
export type Knowledge = Undone | { state: 'done'; outcome: Record<string, unknown> };

export type State = Knowledge['state'];

/** What a call that did not succeed says of the operation. */
export type Evidence = 'refused' | 'turned away' | 'not sent' | 'lost';

export const NONE: Undone = { state: 'none' };
export const UNLIKELY: Undone = { state: 'unlikely' };
export const OPEN: Undone = { state: 'open', refusals: 0 };

/**
 * A read may be stale for a while. The refusal of a repeat is believed once so many repeats were refused before it, with a look before each,
 * or so many milliseconds after the first one.
 */
const REFUSALS = 4;
const LONG_AFTER = 120_000;

/**
 * What is known after a call that did not succeed. A repeat may be refused because an earlier attempt came through: it counts as a
 * refusal of the operation only where none may have come through, where nobody can look, or after enough looks in vain.
 * @param canLook whether the service can be asked what came of the operation.
 * @param now milliseconds.
 */
export function learn(before: Undone, evidence: Evidence, { canLook, now }: { canLook: boolean; now: number }): Undone {
  const isCounting = before.state === 'open' && before.refusals > 0;
  switch (evidence) {
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
  if (refusals >= REFUSALS || now - Date.parse(since) >= LONG_AFTER) return NONE;
  return { state: 'open', refusals: refusals + 1, since };
}

/** Whether an operation may have come through though it is not known to be done. */
export function mayBeDone({ state }: Pick<Knowledge, 'state'>): boolean {
  return state === 'unlikely' || state === 'open';
}

/** What the failure of a call says. An answer other than a refusal may come from a gateway although the service did the work. */
export function evidenceOf(failure: unknown): Evidence {
  if (failure instanceof Rejected) return 'refused';
  if (failure instanceof OutcomeUnknown || failure instanceof UnexpectedResponse || !(failure instanceof OrderError))
    return 'lost';
  return failure instanceof Unauthorized || failure.httpStatus === undefined ? 'not sent' : 'turned away';
}
