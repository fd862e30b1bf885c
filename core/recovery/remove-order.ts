import { countVersions, removeVersions } from '../aws/object-versions.ts';
import type { ItemKey } from '../aws/order-table.ts';
import { inBatches } from '../in-batches.ts';
import { isOver, type OrderItem, type Removal } from '../order/order-item.ts';
import { dataToRemove } from '../order/order-record.ts';
import { addToTimelineOnce } from '../order/timeline.ts';
import type { WhatHappened } from '../order/what-happened.ts';
import {
  beginRemoval,
  endRemoval,
  erasedKey,
  erasedPage,
  foldersOf,
  type OrderData,
  publishFile,
  putOrder,
  reducedOrder,
  stays,
} from './removed-order.ts';

/** The number of versions between two checks for a hold. */
const CHUNK = 100;

export interface Removed {
  /** The order as it is now recorded. */
  order: OrderItem;
  /** How many versions of files, or items of the record, were removed this time. */
  count: number;
  /** `more` if something is left because the limit was reached, `kept` if a legal hold keeps the order, or if it was brought back. */
  ended: 'done' | 'more' | 'kept';
}

/**
 * Removes the files of an order that is over: all versions of everything in its two folders. The record shows the begun removal before the
 * first file is removed. An interrupted removal continues with what is left.
 * @param by `retention`, or the access key of who erases.
 */
export async function removeFiles(
  data: OrderData,
  order: OrderItem,
  by: string,
  most = Number.POSITIVE_INFINITY,
): Promise<Removed> {
  const { orderRef, dismissed, removal: before } = order;
  if (!isOver(order)) throw new Error(`Order ${orderRef} is not over. Nothing was removed.`);
  const folders = foldersOf(data, orderRef);
  let found = 0;
  for (const folder of folders) found += await countVersions(folder);
  if (before?.files.endedAt !== undefined && found === 0) return { order, count: 0, ended: 'done' };
  // Drops the failure that a cancelled retry would restore: the order can no longer be brought back.
  const kept: OrderItem = dismissed ? { ...order, dismissed: { at: dismissed.at, by: dismissed.by } } : order;
  const files = beginRemoval(before?.files, by, found);
  const removing = { ...before, files };
  const begun = { ...kept, openFor: dataToRemove(removing), removal: removing };
  let count = 0;
  for (const folder of folders) {
    for (let removed = CHUNK; removed === CHUNK && count < most; count += removed) {
      // A hold or a retry in the meantime stops the removal.
      if (!(await putOrder(data, begun))) return { order, count, ended: 'kept' };
      removed = await removeVersions(folder, Math.min(CHUNK, most - count));
    }
  }
  if (count < found) return { order: begun, count, ended: 'more' };
  const removal = { ...begun.removal, files: endRemoval(begun.removal.files) };
  await prove(data, orderRef, removal, 'files');
  const removed = { ...kept, openFor: dataToRemove(removal), removal };
  return { order: removed, count, ended: (await putOrder(data, removed)) ? 'done' : 'kept' };
}

/** Removes what may be personal. The rest prevents reuse of the `orderRef` and the `orderId`, and proves the removal. */
export async function reduceRecord(data: OrderData, order: OrderItem, by: string): Promise<Removed> {
  const { orderRef, removal: before } = order;
  if (before?.files.endedAt === undefined)
    throw new Error(`Order ${orderRef} still has files. Its record was not reduced.`);
  const due = (await data.table.queryItems<ItemKey>(orderRef)).filter(({ item }) => !stays(item));
  if (before.record?.endedAt !== undefined && due.length === 0) return { order, count: 0, ended: 'done' };
  const record = beginRemoval(before.record, by, due.length);
  const begun: OrderItem = { ...order, removal: { ...before, record } };
  if (!(await putOrder(data, begun))) return { order, count: 0, ended: 'kept' };
  await inBatches(due, ({ orderRef, item }: ItemKey) => data.table.deleteItem({ orderRef, item }));
  const removal: Removal = { ...before, record: endRemoval(record) };
  await prove(data, orderRef, removal, 'record');
  const reduced = reducedOrder(order, removal);
  return { order: reduced, count: due.length, ended: (await putOrder(data, reduced)) ? 'done' : 'kept' };
}

/**
 * Writes to staging and to the timeline what was removed. This happens before the record says that the removal is complete, so an
 * interrupted removal repeats it.
 */
async function prove(data: OrderData, orderRef: string, removal: Removal, part: 'files' | 'record'): Promise<void> {
  const { by, count, endedAt } = removal[part] ?? removal.files;
  const [what, counted]: [WhatHappened, string] =
    part === 'files' ? ['Files removed', 'versions'] : ['Record reduced', 'items'];
  await publishFile(data, erasedKey(orderRef), `${JSON.stringify(erasedPage(orderRef, removal), undefined, 2)}\n`);
  const line = { at: endedAt ?? '', name: `removed-${part}` };
  await addToTimelineOnce(orderRef, line, what, { by, [counted]: count }, data.table);
}
