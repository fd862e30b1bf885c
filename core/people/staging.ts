import { isDeepStrictEqual } from 'node:util';
import { fittingKey } from '../aws/object-key.ts';
import { removeObject, writeObject } from '../aws/storage.ts';
import { findOrder } from '../order/order-record.ts';
import { stackSettings } from '../settings.ts';
import { type StatusPage, statusPage } from './status-page.ts';

/** The key of an order's object in the staging bucket. The name of a page may contain the name of a partner's file, and be cut. */
export function stagingKey(orderRef: string, name: string): string {
  return fittingKey(`orders/${orderRef}/${name}`);
}

/** The key of a document to sign. A `fileId` may contain any character, so it is percent-encoded. */
export function toSignKey(orderRef: string, fileId: string): string {
  return stagingKey(orderRef, `to-sign/${encodeURIComponent(fileId)}`);
}

/** Writes a text to staging and returns its version. */
export async function stageText(orderRef: string, name: string, text: string, contentType?: string): Promise<string> {
  return writeObject(stackSettings.stagingBucket, stagingKey(orderRef, name), text, contentType);
}

export async function stageJson(orderRef: string, name: string, value: unknown): Promise<string> {
  return stageText(orderRef, name, `${JSON.stringify(value, undefined, 2)}\n`);
}

export async function unstage(orderRef: string, name: string): Promise<void> {
  await removeObject(stackSettings.stagingBucket, stagingKey(orderRef, name));
}

/** Stages `status.json`: the order's status, and whom it waits for. */
export async function stageStatus(order: StatusPage): Promise<void> {
  await stageJson(order.orderRef, 'status.json', { ...statusPage(order), changedAt: new Date().toISOString() });
}

/**
 * Stages `status.json`, and repeats this until it matches the record. For a step that may be slow: another step may have
 * changed the record and the page since.
 */
export async function stageStatusAsRecorded(order: StatusPage): Promise<void> {
  for (let staged = order; ; ) {
    await stageStatus(staged);
    const now = await findOrder(order.orderRef);
    if (!now || isDeepStrictEqual(statusPage(now), statusPage(staged))) return;
    staged = now;
  }
}
