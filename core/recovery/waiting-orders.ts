import { orderTable } from '../aws/order-table.ts';
import { BY_WAITING, type OrderItem, type WaitingFor } from '../order/order-item.ts';

/** What the index holds of an order. */
export type WaitingOrder = Pick<
  OrderItem,
  | 'orderRef'
  | 'status'
  | 'statusSince'
  | 'waitingFor'
  | 'changedAt'
  | 'generation'
  | 'execution'
  | 'orderId'
  | 'failure'
  | 'resume'
  | 'release'
  | 'moveTo'
>;

/** The orders that wait for this, longest unchanged first, as they were up to some seconds ago. */
export function ordersWaitingFor(whom: Exclude<WaitingFor, 'nobody'>): AsyncGenerator<WaitingOrder> {
  return orderTable.queryIndex<WaitingOrder>(BY_WAITING, 'openFor', whom);
}
