import { orderTable } from '../aws/order-table.ts';
import { OrderError, UnexpectedResponse } from '../errors.ts';
import { logger } from '../log.ts';

/** The item that says which of our orders has this `orderId`. No `orderRef` equals its key, since none begins with `#`. */
export const orderIdKey = (orderId: string) => ({ orderRef: `#orderId/${orderId}`, item: 'holder' });

/** The condition that no other order has the `orderId`. This order may have it, because the write may be repeated. */
const ORDER_ID_IS_FREE = 'attribute_not_exists(holder) OR holder = :holder';

/** Two orders with one `orderId` would both drive one order of the service. @throws UnexpectedResponse if another has it. */
export async function holdOrderId(orderRef: string, orderId: string): Promise<void> {
  try {
    const item = { ...orderIdKey(orderId), holder: orderRef };
    if (await orderTable.putItem(item, ORDER_ID_IS_FREE, { ':holder': orderRef })) return;
    const { holder } = (await orderTable.getItem<{ holder: string }>(orderIdKey(orderId))) ?? {};
    if (holder === undefined) return;
    throw new UnexpectedResponse(
      `Create order: the order service answered with the orderId of our order ${holder}. Ask the service which order it created for ${orderRef}, then record that one with "loan-orders resolve".`,
    );
  } catch (error) {
    if (error instanceof OrderError) throw error;
    // The order exists at the service. A fault of AWS must not make us lose its orderId.
    logger.error('Could not check whether another order has this orderId', { error: (error as Error).name });
  }
}

/** Corrects the `orderId`: the order has another one at the service. */
export async function freeOrderId(orderRef: string, orderId: string): Promise<void> {
  await orderTable.deleteItem(orderIdKey(orderId), 'holder = :holder', { ':holder': orderRef });
}
