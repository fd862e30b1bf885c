import type { OrderItem } from './order-item.ts';
import { updateItem } from './order-table.ts';

type Time = 'nextReadAt' | 'throttledUntil';

/**
 * Records that the service is not to be read, or called, before a time, whichever execution drives the order by now: it has answered so.
 * Never an earlier time than is recorded.
 * @param facts recorded with the time.
 */
export async function postpone(
  orderRef: string,
  name: Time,
  time: string,
  facts: Pick<Partial<OrderItem>, 'pollAfterSeconds'> = {},
): Promise<void> {
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  await updateItem(
    { orderRef, item: 'order' },
    { ...facts, [name]: time },
    `attribute_exists(orderRef) AND ${isLater}`,
  );
}
