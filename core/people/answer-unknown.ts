import { headObject, writeObject } from '../aws/storage.ts';
import { findOrder } from '../order/order-record.ts';
import type { CreatedObject } from '../package/intake-event.ts';
import { isOrderRef } from '../package/intake-key.ts';
import { stackSettings } from '../settings.ts';
import { logger } from './operator-log.ts';
import { answerKey } from './rejected-line.ts';
import { findRejected, noteRejected, type Rejection } from './rejected-list.ts';
import { type Advice, removedOrder, unknownUpload } from './unknown-upload.ts';

/**
 * Answers an upload that can never be part of an order: a page in `unknown/` of staging says what is wrong, and operators find a line on
 * the list. An event that comes again changes nothing.
 * @param order whether the order of its folder is recorded already.
 */
export async function answerUnknown(
  { key, 'version-id': versionId = '' }: CreatedObject,
  advice: Advice,
  order: Pick<Rejection, 'ofOrder'> = {},
): Promise<void> {
  // The key is not logged, because a file name may contain personal data. The version identifies the file.
  logger.warn('An upload belongs to no order', { versionId });
  const known = await findRejected(key);
  if (known?.versionId === versionId) return;
  const upload = { kind: 'upload' as const, key };
  const page = { key, versionId, ...advice };
  const write = () =>
    writeObject(stackSettings.stagingBucket, answerKey(upload), `${JSON.stringify(page, undefined, 2)}\n`);
  await write();
  await noteRejected({ ...upload, versionId, why: advice.problem, ...order }, known);
  // A start of the order that is under way may have removed the answer before the line was there to stop it.
  if (order.ofOrder) await write();
}

/**
 * Answers an upload for an order whose files were removed. An event that is told again of a file that was removed with them is no upload:
 * an answer would bring the file's name back.
 */
export async function answerRemoved(object: CreatedObject): Promise<void> {
  const current = await headObject({ bucket: stackSettings.intakeBucket, key: object.key });
  if (current && current.versionId === object['version-id']) await answerUnknown(object, removedOrder);
}

/** Answers an upload whose key says that no order can take it. */
export async function answerMisplaced(object: CreatedObject): Promise<void> {
  const { key } = object;
  const folder = /^orders\/([^/]+)\//.exec(key)?.[1] ?? '';
  // Whoever starts the order of the folder takes off the list what was rejected before.
  const order = isOrderRef(folder) ? await findOrder(folder) : undefined;
  await answerUnknown(object, unknownUpload(key), order && { ofOrder: true });
}

/** Whether the object is what consoles and tools create for an empty folder. */
export function isFolderMarker({ key, size }: CreatedObject): boolean {
  return key.endsWith('/') && size === 0;
}
