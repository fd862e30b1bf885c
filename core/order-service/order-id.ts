import { orderTable } from '../aws/order-table.ts';
import { OrderError, UnexpectedResponse } from '../errors.ts';
import { logger } from '../log.ts';
import { claimOrderId } from './order-id-key.ts';

/**
 * Records which of our orders has this `orderId`. Two orders with the same `orderId` would both drive one order of the service.
 * @throws UnexpectedResponse if another order has it.
 */
export async function holdOrderId(orderRef: string, orderId: string): Promise<void> {
  try {
    const holder = await claimOrderId(orderTable, orderRef, orderId);
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
