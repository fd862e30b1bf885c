import { OrderError, UnexpectedResponse } from '../errors.ts';
import { logger } from '../log.ts';
import { ORDER_ID_IS_FREE, orderIdKey } from './order-id-key.ts';
import { getItem, putItem } from './order-table.ts';

/**
 * Records that the service's order `orderId` is this one of ours, which no other may be: two on one would each do everything to it.
 * @throws UnexpectedResponse where it is another's.
 */
export async function holdOrderId(orderRef: string, orderId: string): Promise<void> {
  try {
    const item = { ...orderIdKey(orderId), holder: orderRef };
    if (await putItem(item, ORDER_ID_IS_FREE, { ':holder': orderRef })) return;
    const held = await getItem<{ holder: string }>(orderIdKey(orderId));
    throw new UnexpectedResponse(
      `Create order: the order service answered with the orderId of our order ${held?.holder}. Ask the service which order it created for ${orderRef}, then record it with "loan-orders resolve".`,
    );
  } catch (error) {
    if (error instanceof OrderError) throw error;
    // The order exists: a fault of AWS at this moment must not lose its orderId.
    logger.error('Whether another order has this orderId could not be looked up', { error: (error as Error).name });
  }
}
