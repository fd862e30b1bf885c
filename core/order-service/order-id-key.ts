import type { OrderTable } from '../aws/order-table.ts';

/** The item that says which of our orders has this `orderId`. No `orderRef` equals its key, since none begins with `#`. */
export const orderIdKey = (orderId: string) => ({ orderRef: `#orderId/${orderId}`, item: 'holder' });

/**
 * Records that `orderId` belongs to this order.
 * @returns the other order that has it already, if any.
 */
export async function claimOrderId(table: OrderTable, orderRef: string, orderId: string): Promise<string | undefined> {
  if (await table.putItem({ ...orderIdKey(orderId), holder: orderRef }, ORDER_ID_IS_FREE, { ':holder': orderRef }))
    return undefined;
  return (await table.getItem<{ holder: string }>(orderIdKey(orderId)))?.holder;
}

/** No order has the `orderId`, or this order has it already, since the write may be repeated. */
const ORDER_ID_IS_FREE = 'attribute_not_exists(orderRef) OR holder = :holder';
