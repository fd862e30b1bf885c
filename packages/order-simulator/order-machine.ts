/** The statuses of an order (specification, section 3). */
export type OrderStatus =
  | 'IN_WORK'
  | 'VALIDATION_FAILED'
  | 'WAITING_FOR_DOCUMENTS'
  | 'WAITING_FOR_SIGNATURE'
  | 'OFFERS_AVAILABLE'
  | 'OFFERS_APPROVED'
  | 'CLOSED';

/** The statuses that may follow IN_WORK. */
export type Outcome = 'VALIDATION_FAILED' | 'WAITING_FOR_DOCUMENTS' | 'WAITING_FOR_SIGNATURE' | 'OFFERS_AVAILABLE';

/** The plan of an order, set when it is created. Durations in milliseconds. */
export interface OrderPlan {
  /** The statuses that follow each IN_WORK, in order. */
  outcomes: readonly Outcome[];
  processing: number;
  /** From the last confirm to CLOSED. */
  bank: number;
  /** From OFFERS_AVAILABLE to CLOSED when `anyOfferAvailable` is false. */
  closeWithoutConfirmation: number;
  anyOfferAvailable: boolean;
}

export interface StatusChange {
  status: OrderStatus;
  /** Milliseconds since the epoch. */
  at: number;
  /** The order returned to IN_WORK without an accept. */
  isBack?: true;
}

/** The progress of an order. It is immutable: each function below returns a new one. */
export interface OrderProgress {
  status: OrderStatus;
  history: readonly StatusChange[];
  due?: StatusChange;
  /** How many outcomes of the plan have happened or are due. */
  outcomesUsed: number;
  plan: OrderPlan;
}

/** Row 1 of the table in section 3: create order. */
export function begin(plan: OrderPlan, now: number): OrderProgress {
  const start: OrderProgress = { status: 'IN_WORK', history: [], outcomesUsed: 0, plan };
  return enter(start, { status: 'IN_WORK', at: now });
}

/** Rows 2, 3, 5, 6, 8 and 10: applies the changes that are due at `now`. */
export function advance(progress: OrderProgress, now: number): OrderProgress {
  let current = progress;
  while (current.due && current.due.at <= now) current = enter(current, current.due);
  return current;
}

/** Rows 4 and 7: accept. Returns `undefined` if the status does not allow it. */
export function accept(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status !== 'WAITING_FOR_DOCUMENTS' && current.status !== 'WAITING_FOR_SIGNATURE') return undefined;
  return enter(current, { status: 'IN_WORK', at: now });
}

/** Row 9 and rule 2: confirm. In OFFERS_APPROVED it restarts the bank's time. Returns `undefined` if the status does not allow it. */
export function confirm(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status === 'OFFERS_AVAILABLE') return enter(current, { status: 'OFFERS_APPROVED', at: now });
  if (current.status !== 'OFFERS_APPROVED') return undefined;
  return { ...current, due: { status: 'CLOSED', at: now + current.plan.bank } };
}

/**
 * Returns an order that waits for the partner to IN_WORK without an accept. Section 3 does not show this transition, but does not
 * exclude it. The given outcomes come next, then the rest of the plan.
 */
export function goBack(progress: OrderProgress, outcomes: readonly Outcome[], now: number): OrderProgress {
  const { plan, outcomesUsed } = progress;
  const [before, rest] = [plan.outcomes.slice(0, outcomesUsed), plan.outcomes.slice(outcomesUsed)];
  const changed = { ...progress, plan: { ...plan, outcomes: [...before, ...outcomes, ...rest] } };
  return enter(changed, { status: 'IN_WORK', at: now, isBack: true });
}

function enter(progress: OrderProgress, change: StatusChange): OrderProgress {
  const { due: _past, ...rest } = progress;
  const { status, at } = change;
  const entered = { ...rest, status, history: [...rest.history, change] };
  const { plan, outcomesUsed } = entered;
  if (status === 'IN_WORK') {
    const outcome = plan.outcomes[outcomesUsed];
    if (!outcome) throw new Error(`The plan has no outcome for stay ${outcomesUsed + 1} in IN_WORK`);
    return { ...entered, due: { status: outcome, at: at + plan.processing }, outcomesUsed: outcomesUsed + 1 };
  }
  if (status === 'OFFERS_APPROVED') return { ...entered, due: { status: 'CLOSED', at: at + plan.bank } };
  if (status === 'OFFERS_AVAILABLE' && !plan.anyOfferAvailable) {
    return { ...entered, due: { status: 'CLOSED', at: at + plan.closeWithoutConfirmation } };
  }
  return entered;
}
