import { getItem, putItem } from '../aws/order-table.ts';
import { OrderError, UnexpectedResponse } from '../errors.ts';
import { logger } from '../log.ts';
import { ORDER_ID_IS_FREE, orderIdKey } from './order-id-key.ts';

/**
 * Records which of our orders has this `orderId`. Two orders with the same `orderId` would both drive one order of the service.
 * @throws UnexpectedResponse if another order has it.
 */
export async function holdOrderId(orderRef: string, orderId: string): Promise<void> {
  try {
    const item = { ...orderIdKey(orderId), holder: orderRef };
    if (await putItem(item, ORDER_ID_IS_FREE, { ':holder': orderRef })) return;
    const held = await getItem<{ holder: string }>(orderIdKey(orderId));
    throw new UnexpectedResponse(
      `Create order: the order service answered with the orderId of our order ${held?.holder}. Ask the service which order it created for ${orderRef}, then record that one with "loan-orders resolve".`,
    );
  } catch (error) {
    if (error instanceof OrderError) throw error;
    // The order exists at the service. A fault of AWS must not make us lose its orderId.
    logger.error('Could not check whether another order has this orderId', { error: (error as Error).name });
  }
}
