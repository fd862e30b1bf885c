import { fittingKey } from '../aws/object-key.ts';
import { removeObject, writeObject } from '../aws/storage.ts';
import { stackSettings } from '../settings.ts';

/** The key of an order's object in the staging bucket. The name of a page may contain the name of a partner's file, and be cut. */
export const stagingKey = (orderRef: string, name: string): string => fittingKey(`orders/${orderRef}/${name}`);

/** The key of a document to sign. A `fileId` may contain any character, so it is percent-encoded. */
export const toSignKey = (orderRef: string, fileId: string): string =>
  stagingKey(orderRef, `to-sign/${encodeURIComponent(fileId)}`);

export const publishText = async (orderRef: string, name: string, text: string): Promise<string> =>
  writeObject(stackSettings.stagingBucket, stagingKey(orderRef, name), text);

export const publishJson = async (orderRef: string, name: string, value: unknown): Promise<string> =>
  publishText(orderRef, name, `${JSON.stringify(value, undefined, 2)}\n`);

export async function unpublish(orderRef: string, name: string): Promise<void> {
  await removeObject(stackSettings.stagingBucket, stagingKey(orderRef, name));
}
