import { OrderError, OutcomeUnknown, Throttled, Unauthorized, UnexpectedResponse } from '../errors.ts';
import { type CallFailure, proofOf } from '../service/what-answers-prove.ts';

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

export const NONE: Undone = { state: 'none' };
export const UNLIKELY: Undone = { state: 'unlikely' };
export const OPEN: Undone = { state: 'open' };

/**
 * What to do if the outcome of an earlier attempt is unknown: `never` repeat it, because only a person can find out (creations); send it
 * `again`, because a second copy does no harm (uploads); or wait until reads show it (`look`: accepts and confirms).
 */
export type IfUnknown = 'never' | 'again' | 'look';

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

/** Whether an operation of unknown outcome may be sent again. A creation may while the service certainly remembers its idempotency key. */
export function maySendAgain(ifUnknown: IfUnknown, rememberedUntil = ''): boolean {
  return ifUnknown === 'again' || (ifUnknown === 'never' && rememberedUntil > new Date().toISOString());
}

/** Whether the operation may have succeeded (`unlikely`, `open`). */
export function mayBeDone({ state }: Pick<Knowledge, 'state'>): boolean {
  return state === 'unlikely' || state === 'open';
}

/** What a failed call proves. An answer proves what its status does; a body that cannot be used proves nothing. */
export function callFailureOf(failure: unknown): CallFailure {
  if (!(failure instanceof OrderError)) return 'lost';
  // Its status is that of the token endpoint.
  if (failure instanceof Unauthorized) return 'not sent';
  const { httpStatus } = failure.call;
  if (httpStatus !== undefined) return proofOf(httpStatus, failure instanceof Throttled);
  return failure instanceof OutcomeUnknown || failure instanceof UnexpectedResponse ? 'lost' : 'not sent';
}
