import { isDeepStrictEqual } from 'node:util';
import { removeObject, writeObject } from '../aws/storage.ts';
import { environment } from '../environment.ts';
import type { OrderItem } from './order-item.ts';
import { findOrder } from './order-record.ts';

/** Where things stand in the staging bucket. The partner only ever reads it. */
export function stagingKey(orderRef: string, name: string): string {
  return `orders/${orderRef}/${name}`;
}

/** Key of a document to sign: its `fileId` percent-encoded, so that slashes make no folders and every file is one name. */
export function toSignKey(orderRef: string, fileId: string): string {
  return stagingKey(orderRef, `to-sign/${encodeURIComponent(fileId)}`);
}

/** Stages a text as it stands; answers its version. */
export async function stageText(orderRef: string, name: string, text: string, contentType?: string): Promise<string> {
  return writeObject(environment('STAGING_BUCKET'), stagingKey(orderRef, name), text, contentType);
}

export async function stageJson(orderRef: string, name: string, value: unknown): Promise<string> {
  return stageText(orderRef, name, `${JSON.stringify(value, undefined, 2)}\n`);
}

export async function unstage(orderRef: string, name: string): Promise<void> {
  await removeObject(environment('STAGING_BUCKET'), stagingKey(orderRef, name));
}

/** What `status.json` says of an order. */
type Standing = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'failure'>;

/** `status.json`: where the order stands and for whom it waits. */
export async function stageStatus(order: Standing): Promise<void> {
  await stageJson(order.orderRef, 'status.json', { ...standing(order), changedAt: new Date().toISOString() });
}

/**
 * The same, by a step that may be slow: another one may have found the order somewhere else meanwhile. It looks again until the page is
 * what the record says.
 */
export async function stageStatusAsRecorded(order: Standing): Promise<void> {
  for (let staged = order; ; ) {
    await stageStatus(staged);
    const now = await findOrder(order.orderRef);
    if (!now || isDeepStrictEqual(standing(now), standing(staged))) return;
    staged = now;
  }
}

function standing({ orderRef, orderId, status, waitingFor, failure }: Standing): Standing {
  return { orderRef, ...(orderId && { orderId }), status, waitingFor, ...(failure && { failure }) };
}
