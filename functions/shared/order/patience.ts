import { callWithPatience, refuseUntil } from '../service/retry-after.ts';
import type { OrderItem } from './order-item.ts';
import { loadOrder } from './order-record.ts';
import { postpone } from './postpone.ts';

/** The order as it was read when the step began. */
export type PatientOrder = Pick<OrderItem, 'orderRef' | 'generation' | 'throttledUntil'>;

/**
 * Calls the order service and obeys `Retry-After`, as {@link callWithPatience} does. A long wait goes into the order's record,
 * which every later step reads. After a short wait, stops if another execution drives the order by now.
 * @throws Superseded then, and what {@link callWithPatience} throws.
 */
export async function withPatience<Result>(
  order: PatientOrder,
  call: () => Promise<Result>,
  maxRepeats?: number,
): Promise<Result> {
  const record = (throttledUntil: string) => postpone(order.orderRef, 'throttledUntil', throttledUntil);
  const checkAgain = () => loadOrder(order.orderRef, order.generation);
  return callWithPatience({ ...namesOf(order), record, checkAgain }, call, maxRepeats);
}

/** @throws Throttled while the order service asks us to back off. */
export function refuseWhileThrottled(order: PatientOrder): void {
  refuseUntil(namesOf(order));
}

function namesOf({ orderRef, throttledUntil }: PatientOrder) {
  return { subject: `Order ${orderRef}`, service: 'the order service', throttledUntil };
}
