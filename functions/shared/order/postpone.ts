import type { OrderItem } from './order-item.ts';
import { updateItem } from './order-table.ts';

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
  facts: Pick<Partial<OrderItem>, 'pollAfterSeconds'> = {},
): Promise<void> {
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  await updateItem(
    { orderRef, item: 'order' },
    { ...facts, [name]: time },
    `attribute_exists(orderRef) AND ${isLater}`,
  );
}
