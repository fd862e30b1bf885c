import { environmentNumber } from '../environment.ts';
import { callWithPatience, type Patience, refuseUntil } from '../service/retry-after.ts';
import { logger } from './operator-log.ts';
import type { OrderItem } from './order-item.ts';
import { loadOrder } from './order-record.ts';
import { endThrottling, postpone } from './postpone.ts';

const MILLISECONDS_PER_HOUR = 3_600_000;

/** The order as it was read when the step began. */
export type PatientOrder = Pick<OrderItem, 'orderRef' | 'generation' | 'throttledUntil' | 'throttledSince'>;

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
  const { orderRef, generation } = order;
  const throttledSince = order.throttledSince ?? new Date().toISOString();
  const record = (throttledUntil: string) => postpone(orderRef, 'throttledUntil', throttledUntil, { throttledSince });
  const checkAgain = () => loadOrder(orderRef, generation);
  const patience = { ...patienceOf({ ...order, throttledSince }), record, checkAgain };
  const result = await callWithPatience(patience, call, maxRepeats);
  if (order.throttledSince !== undefined) await forgetThrottling(orderRef, order.throttledSince);
  return result;
}

/** @throws Throttled while the order service asks us to back off. */
export function refuseWhileThrottled(order: PatientOrder): void {
  refuseUntil(patienceOf(order));
}

/**
 * Records that the service does not turn the order's calls away any more. If this fails, the call is done all the same: the
 * next answered call records it.
 */
async function forgetThrottling(orderRef: string, since: string): Promise<void> {
  const [forgotten] = await Promise.allSettled([endThrottling(orderRef, since)]);
  if (forgotten.status === 'rejected') {
    logger.warn('The end of the throttling could not be recorded', { error: (forgotten.reason as Error).name });
  }
}

function patienceOf(order: PatientOrder): Omit<Patience, 'record'> {
  const { orderRef, throttledUntil, throttledSince } = order;
  const isPostponable = (until: string) => {
    const waits = Date.parse(until) - (throttledSince === undefined ? Date.now() : Date.parse(throttledSince));
    return waits <= environmentNumber('OUTAGE_PATIENCE_HOURS') * MILLISECONDS_PER_HOUR;
  };
  return { subject: `Order ${orderRef}`, service: 'the order service', throttledUntil, isPostponable };
}
