/** The states of an order (specification, section 3). */
export type OrderStatus =
  | 'IN_WORK'
  | 'VALIDATION_FAILED'
  | 'WAITING_FOR_DOCUMENTS'
  | 'WAITING_FOR_SIGNATURE'
  | 'OFFERS_AVAILABLE'
  | 'OFFERS_APPROVED'
  | 'CLOSED';

/** What an order can be when its processing ends. */
export type Outcome = 'VALIDATION_FAILED' | 'WAITING_FOR_DOCUMENTS' | 'WAITING_FOR_SIGNATURE' | 'OFFERS_AVAILABLE';

/** What will happen to an order, decided when it is created. Durations in milliseconds. */
export interface OrderPlan {
  /** How each stay in IN_WORK ends, in order. */
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
}

/** Where an order stands: an immutable value that every function below answers anew. */
export interface OrderProgress {
  status: OrderStatus;
  history: readonly StatusChange[];
  /** The next change that comes by itself. */
  due?: StatusChange;
  /** How many outcomes of the plan have come about or are due. */
  outcomesUsed: number;
  plan: OrderPlan;
}

/** Row 1 of section 3: create order. */
export function begin(plan: OrderPlan, now: number): OrderProgress {
  const start: OrderProgress = { status: 'IN_WORK', history: [], outcomesUsed: 0, plan };
  return enter(start, { status: 'IN_WORK', at: now });
}

/** Rows 2, 3, 5, 6, 8 and 10: everything that has become due by `now`. */
export function advance(progress: OrderProgress, now: number): OrderProgress {
  let current = progress;
  while (current.due && current.due.at <= now) current = enter(current, current.due);
  return current;
}

/** Rows 4 and 7: accept. `undefined` when the state does not allow it. */
export function accept(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status !== 'WAITING_FOR_DOCUMENTS' && current.status !== 'WAITING_FOR_SIGNATURE') return undefined;
  return enter(current, { status: 'IN_WORK', at: now });
}

/** Row 9, and rule 2: a confirm while OFFERS_APPROVED gives the bank its time anew. `undefined` as in `accept`. */
export function confirm(progress: OrderProgress, now: number): OrderProgress | undefined {
  const current = advance(progress, now);
  if (current.status === 'OFFERS_AVAILABLE') return enter(current, { status: 'OFFERS_APPROVED', at: now });
  if (current.status !== 'OFFERS_APPROVED') return undefined;
  return { ...current, due: { status: 'CLOSED', at: now + current.plan.bank } };
}

function enter(progress: OrderProgress, change: StatusChange): OrderProgress {
  const { due: _past, ...rest } = progress;
  const { status, at } = change;
  const entered = { ...rest, status, history: [...rest.history, { status, at }] };
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
