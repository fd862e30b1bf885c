import { updateOrder } from '../aws/order-table.ts';
import type { OrderItem } from './order-item.ts';

type Time = 'nextReadAt' | 'throttledUntil';

/**
 * Records the time before which the order must not be read, or the service not be called. Never replaces a later time. Any
 * execution may record it, also one that does not drive the order any more.
 * @param facts recorded with the time.
 */
export async function postpone(
  orderRef: string,
  name: Time,
  time: string,
  facts: Pick<Partial<OrderItem>, 'pollAfterSeconds' | 'throttledSince'> = {},
): Promise<void> {
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  await updateOrder(orderRef, { ...facts, [name]: time }, `attribute_exists(orderRef) AND ${isLater}`);
}

/** Records that a call was answered, so that the stage's patience starts again. Keeps a newer `throttledSince`. */
export async function endThrottling(orderRef: string, since: string): Promise<void> {
  await updateOrder(orderRef, { throttledSince: undefined }, '#throttledSince = :since', { ':since': since });
}

/**
 * Records that a read was made after `throttledUntil`. The steps that follow it run on other machines: with a clock that is
 * behind, one of them would still wait, and the choices behind it would be confirmed first.
 */
export async function endWait<Item extends OrderItem>(record: Item): Promise<Item> {
  const { orderRef, throttledUntil } = record;
  if (throttledUntil === undefined) return record;
  const condition = '#throttledUntil = :until';
  const changes = { throttledUntil: undefined };
  const isEnded = await updateOrder(orderRef, changes, condition, { ':until': throttledUntil });
  return isEnded ? { ...record, ...changes } : record;
}
