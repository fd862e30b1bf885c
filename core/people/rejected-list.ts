import { addToItem, deleteItem, getItem, putItem, queryItems, updateItem } from '../aws/order-table.ts';
import { removeObject } from '../aws/storage.ts';
import { bounded } from '../limits.ts';
import { count } from '../metrics.ts';
import { stackSettings } from '../settings.ts';
import {
  answerKey,
  COUNT_ITEM,
  lineItem,
  linesOf,
  MOST_LINES,
  REJECTED,
  type RejectedKind,
  type RejectedLine,
} from './rejected-line.ts';
import { tellRejected } from './tell-rejected.ts';

/** A rejected upload, as it is put on the list. */
export type Rejection = Pick<RejectedLine, 'kind' | 'key' | 'versionId' | 'why' | 'ofOrder'>;

/** Holds for a line that was written before the order of its folder was recorded. */
const BEFORE_ORDER = 'attribute_not_exists(ofOrder)';

/** Characters of the reason. */
const LONGEST_WHY = 300;

/** The line of the key; undefined if the key is not on the list. */
export async function findRejected(key: string): Promise<RejectedLine | undefined> {
  return getItem<RejectedLine>({ orderRef: REJECTED, item: lineItem(key) });
}

/**
 * Puts a rejected upload on the list that operators read. A key has one line, for its newest version. The same version may be
 * rejected many times: its event comes again, or further files of its package arrive. It is counted once.
 */
export async function noteRejected(rejection: Rejection, known?: RejectedLine): Promise<void> {
  const { kind, key, versionId, ofOrder } = rejection;
  const why = bounded(rejection.why, LONGEST_WHY);
  const isNew = known?.versionId !== versionId;
  if (!isNew && known?.why === why && known.ofOrder === ofOrder) return;
  if (isNew) {
    count('UploadsRejected', { upload: kind });
    await tellRejected(rejection);
  }
  const place = { orderRef: REJECTED, item: lineItem(key) };
  const at = new Date().toISOString();
  const changes = { why, ...(isNew && { versionId, lastAt: at }), ...(ofOrder && { ofOrder }) };
  if (known && (await updateItem(place, changes, 'attribute_exists(orderRef)'))) return;
  if (await takeRoom(kind)) {
    const line = { ...place, kind, key, since: at, lastAt: at, versionId, why, ...(ofOrder && { ofOrder }) };
    await putItem(line, 'attribute_not_exists(orderRef)');
    return;
  }
  const countItem = { orderRef: REJECTED, item: COUNT_ITEM };
  await addToItem(countItem, `more-${kind}`, 1);
  await updateItem(countItem, { moreAt: at });
}

/**
 * Counts one more line if there is room. The count may be too high: of two events that add the same line one counts too much, and so
 * does one whose function ends before it adds its line. The sweep counts the lines again.
 */
function takeRoom(kind: RejectedKind): Promise<boolean> {
  return addToItem({ orderRef: REJECTED, item: COUNT_ITEM }, kind, 1, MOST_LINES);
}

/** Takes one key off the list, unless it was rejected after its order was recorded. */
export async function forgetRejected(key: string): Promise<void> {
  await deleteItem({ orderRef: REJECTED, item: lineItem(key) }, BEFORE_ORDER);
}

/** The lines of an order's folder. */
export async function findRejectedIn(orderRef: string): Promise<RejectedLine[]> {
  return queryItems<RejectedLine>(REJECTED, linesOf(orderRef));
}

/**
 * Takes lines off the list, and their answers in `unknown/` out of staging. What was rejected after its order was recorded stays, and so
 * does the line of a newer version.
 */
export async function forgetLines(lines: readonly RejectedLine[]): Promise<void> {
  for (const { kind, key, item, versionId, ofOrder } of lines) {
    if (ofOrder) continue;
    const isGone = await deleteItem({ orderRef: REJECTED, item }, `${BEFORE_ORDER} AND versionId = :versionId`, {
      ':versionId': versionId,
    });
    // The answer to a package is not in `unknown/`. Whoever accepts the package removes it.
    if (isGone && kind === 'upload') await removeObject(stackSettings.stagingBucket, answerKey({ kind, key }));
  }
}
