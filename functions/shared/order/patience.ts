import { callWithPatience, refuseUntil } from '../service/retry-after.ts';
import type { OrderItem } from './order-item.ts';
import { loadOrder } from './order-record.ts';
import { postpone } from './postpone.ts';

/** An order as its record was read when the step began. */
export type PatientOrder = Pick<OrderItem, 'orderRef' | 'generation' | 'throttledUntil'>;

/**
 * Calls the order service as it wishes to be called. A long wait goes into the order's record, where every later step of the order
 * finds it. After a short one the order may be driven by another execution: then nothing more is sent.
 * @param most see {@link callWithPatience}, which says what is thrown, too.
 */
export async function withPatience<Result>(
  order: PatientOrder,
  call: () => Promise<Result>,
  most?: number,
): Promise<Result> {
  const record = (throttledUntil: string) => postpone(order.orderRef, 'throttledUntil', throttledUntil);
  const checkAgain = () => loadOrder(order.orderRef, order.generation);
  return callWithPatience({ ...namesOf(order), record, checkAgain }, call, most);
}

/** @throws Throttled as long as the order service wants to be left alone. Nobody is called. */
export function refuseWhileThrottled(order: PatientOrder): void {
  refuseUntil(namesOf(order));
}

function namesOf({ orderRef, throttledUntil }: PatientOrder) {
  return { subject: `Order ${orderRef}`, service: 'the order service', throttledUntil };
}
