import { environment } from './environment.ts';
import type { OrderItem } from './order-record.ts';
import { removeObject, writeObject } from './storage.ts';

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

/** `status.json`: where the order stands and for whom it waits. */
export async function stageStatus(
  order: Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'failure'>,
): Promise<void> {
  const { orderRef, orderId, status, waitingFor, failure } = order;
  await stageJson(orderRef, 'status.json', {
    orderRef,
    orderId,
    status,
    waitingFor,
    changedAt: new Date().toISOString(),
    failure,
  });
}
