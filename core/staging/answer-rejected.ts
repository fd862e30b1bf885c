import { createHash } from 'node:crypto';
import { type ItemKey, orderTable } from '../aws/order-table.ts';
import { headObject, readObject, removeObject, writeObjectIf } from '../aws/storage.ts';
import { type StoredEvent, VERSION } from '../events/order-event.ts';
import { CUT, ORDERLESS_OUTBOX, type Outbox, UNSENT } from '../events/outbox.ts';
import { logger } from '../log.ts';
import { inWords } from '../messages/english.ts';
import { count } from '../metrics.ts';
import { findOrder } from '../order/order-record.ts';
import type { CreatedObject } from '../package/intake-event.ts';
import { isOfSystem, isOrderRef, packageKey } from '../package/intake-key.ts';
import { stackSettings } from '../settings.ts';
import { answerKey, type RejectedUpload, type RejectionProblem } from './rejected-upload.ts';
import { sendSingle } from './send-outbox.ts';
import { unknownUpload } from './unknown-upload.ts';

export interface StagedAnswer {
  text: string;
  etag: string;
}

/** The answer to this version of an upload; undefined if it was not answered. */
export async function findAnswer(upload: Pick<RejectedUpload, 'key' | 'versionId'>): Promise<StagedAnswer | undefined> {
  const stored = await readObject({ bucket: stackSettings.stagingBucket, key: answerKey(upload) });
  return stored && { text: new TextDecoder().decode(stored.bytes), etag: stored.etag };
}

/**
 * Answers one version of an upload. The answer to a package changes only if further files of the package arrive.
 * @param before the upload's answer before the check.
 * @returns false if somebody else has answered it since. Then nothing was written, and the upload must be checked again.
 */
export async function answerUpload(upload: RejectedUpload, before: StagedAnswer | undefined): Promise<boolean> {
  const text = `${JSON.stringify(upload, undefined, 2)}\n`;
  if (before?.text === text) return true;
  // The rest of this order.json may follow. Unless {@link withdrawCut} comes first, the sweep tells of it.
  const isCut = upload.problems.some(({ code }) => code === 'notJson' || code === 'notUtf8');
  const cutOrder = isCut ? folderOf(upload.key) : undefined;
  if (!before) {
    if (cutOrder === undefined) count('UploadsRejected', { upload: upload.kind });
    await announceRejected(upload, cutOrder);
  }
  const object = { bucket: stackSettings.stagingBucket, key: answerKey(upload) };
  const written = await writeObjectIf(object, text, before?.etag);
  // A good order.json may have started the order meanwhile, before this answer was there to be removed.
  if (cutOrder !== undefined && (await findOrder(cutOrder)))
    await Promise.all([withdrawCut(cutOrder), removeObject(object.bucket, object.key)]);
  return written !== undefined;
}

/**
 * Answers an upload that can never be part of an order. A repeated event changes nothing.
 * @param order whether the order of its folder is already recorded.
 */
export async function answerUnknown(
  { key, 'version-id': versionId = '' }: CreatedObject,
  problem: RejectionProblem,
  order: Pick<RejectedUpload, 'afterStart'> = {},
): Promise<void> {
  // An unreadable document is one that the order names.
  if (isOfSystem(key) && problem.code !== 'unreadable')
    return logger.info('A file of a system or an editor was ignored', { versionId });
  // The key is not logged, because a file name may contain personal data. The version identifies the file.
  logger.warn('An upload belongs to no order', { versionId });
  if (await findAnswer({ key, versionId })) return;
  await answerUpload({ kind: 'upload', key, versionId, ...order, problems: [problem] }, undefined);
}

/**
 * Answers an upload for an order whose files were removed. A repeated event of a removed file is ignored: an answer would store the file's
 * name again.
 */
export async function answerRemoved(object: CreatedObject): Promise<void> {
  const current = await headObject({ bucket: stackSettings.intakeBucket, key: object.key });
  if (current?.versionId === object['version-id'])
    await answerUnknown(object, inWords('removedOrder'), { afterStart: true });
}

/** Removes the answers to versions of an order.json that was empty or cut, unless others were told of them, as soon as a good one is there. */
export async function withdrawCut(orderRef: string): Promise<void> {
  const cut = await orderTable.queryItems<ItemKey & Outbox>(ORDERLESS_OUTBOX, cutPrefix(orderRef));
  for (const { item, unsentEvents } of cut) {
    const versionId = String(unsentEvents?.[0]?.detail.versionId);
    await removeObject(stackSettings.stagingBucket, answerKey({ key: packageKey(orderRef), versionId }));
    await orderTable.deleteItem({ orderRef: ORDERLESS_OUTBOX, item });
  }
}

const cutPrefix = (orderRef: string) => `${CUT}${orderRef}#`;

/** Answers an upload whose key says that no order can take it. */
export async function answerMisplaced(object: CreatedObject): Promise<void> {
  const { key } = object;
  const folder = folderOf(key);
  const order = folder === undefined ? undefined : await findOrder(folder);
  await answerUnknown(object, unknownUpload(key), order && { afterStart: true });
}

/** Whether the object is what consoles and tools create for an empty folder. */
export function isFolderMarker({ key, size }: CreatedObject): boolean {
  return key.endsWith('/') && size === 0;
}

function folderOf(key: string): string | undefined {
  const [, folder = ''] = /^orders\/([^/]+)\//.exec(key) ?? [];
  return isOrderRef(folder) ? folder : undefined;
}

/**
 * Sends the event of a rejected upload. It has its own outbox, so people get their answer even while the event bus is down. It is written
 * before the answer: if this function ends in between, the upload's event is delivered again, and this one is sent again with the same id.
 * The key may be a person's name, so the id is a digest of it.
 */
async function announceRejected({ kind, key, versionId }: RejectedUpload, cutOrder?: string): Promise<void> {
  const digest = createHash('sha256').update(`${key}@${versionId}`).digest('hex').slice(0, 32);
  const at = new Date().toISOString();
  const orderRef = folderOf(key);
  const detail = { version: VERSION, id: `#rejected/${digest}`, at, kind, ...(orderRef && { orderRef }), versionId };
  const unsentEvents: StoredEvent[] = [{ type: 'Upload Rejected', detail }];
  const outbox: Outbox = { eventCount: 1, unsentEvents, unsent: UNSENT, unsentSince: at };
  const place = {
    orderRef: ORDERLESS_OUTBOX,
    item: `${cutOrder === undefined ? 'rejected#' : cutPrefix(cutOrder)}${digest}`,
  };
  await orderTable.putItem({ ...place, ...outbox });
  if (cutOrder === undefined) await sendSingle(place, outbox);
}
