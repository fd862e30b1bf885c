import type { OrderItem } from '../order/order-item.ts';
import * as record from '../order/order-record.ts';
import { sendOutbox } from './send-outbox.ts';

// Changes of an order's record of which others are told, and which pages show. Each sends the order's outbox afterwards.

/** Records a new order. Returns false if it is recorded already. */
export async function addOrder(...given: Parameters<typeof record.addOrder>): Promise<boolean> {
  return (await told(await record.addOrder(...given))) !== undefined;
}

/** See {@link record.claimOrder}. */
export async function claimOrder(...given: Parameters<typeof record.claimOrder>): Promise<OrderItem> {
  return told(await record.claimOrder(...given));
}

/** See {@link record.recordEndOf}. */
export async function recordEndOf(...given: Parameters<typeof record.recordEndOf>): Promise<boolean> {
  return (await told(await record.recordEndOf(...given))) !== undefined;
}

/** See {@link record.changeOrder}. */
export async function changeOrder(...given: Parameters<typeof record.changeOrder>): Promise<void> {
  await told(await record.changeOrder(...given));
}

/** See {@link record.changeWaiting}. */
export async function changeWaiting(...given: Parameters<typeof record.changeWaiting>): Promise<boolean> {
  const { order, waits } = await record.changeWaiting(...given);
  await told(order);
  return waits;
}

async function told<Order extends OrderItem | undefined>(order: Order): Promise<Order> {
  if (order) await sendOutbox(order);
  return order;
}
