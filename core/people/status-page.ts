import type { OrderItem } from '../order/order-item.ts';

/** The fields of `status.json`, without `changedAt`. */
export type StatusPage = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'failure'>;

/** What `status.json` says of an order. */
export function statusPage({ orderRef, orderId, status, waitingFor, failure }: StatusPage): StatusPage {
  return { orderRef, ...(orderId && { orderId }), status, waitingFor, ...(failure && { failure }) };
}
