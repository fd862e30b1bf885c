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

/** The course of an order, fixed when it is created. Durations in milliseconds. */
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
  /** The service went back to IN_WORK without an accept. */
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

/** Row 1 of section 3: create order. */
export function begin(plan: OrderPlan, now: number): OrderProgress {
  const start: OrderProgress = { status: 'IN_WORK', history: [], outcomesUsed: 0, plan };
  return enter(start, { status: 'IN_WORK', at: now });
}

/** Rows 2, 3, 5, 6, 8 and 10: makes the changes that are due by `now`. */
export function advance(progress: OrderProgress, now: number): OrderProgress {
  let current = progress;
  while (current.due && current.due.at <= now) current = enter(current, current.due);
  return current;
}

/** Rows 4 and 7: accept. `undefined` if the status does not allow it. */
export function accept(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status !== 'WAITING_FOR_DOCUMENTS' && current.status !== 'WAITING_FOR_SIGNATURE') return undefined;
  return enter(current, { status: 'IN_WORK', at: now });
}

/** Row 9, and rule 2: a confirm in OFFERS_APPROVED restarts the bank's time. `undefined` as in `accept`. */
export function confirm(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status === 'OFFERS_AVAILABLE') return enter(current, { status: 'OFFERS_APPROVED', at: now });
  if (current.status !== 'OFFERS_APPROVED') return undefined;
  return { ...current, due: { status: 'CLOSED', at: now + current.plan.bank } };
}

/**
 * Section 3 shows no way back, and does not rule one out: from a status that waits for the partner, the order goes back to
 * IN_WORK without an accept. Then it takes these outcomes, and the rest of its plan follows.
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
