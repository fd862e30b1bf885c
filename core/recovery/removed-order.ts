import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Folder } from '../aws/object-versions.ts';
import type { RecordTable } from '../aws/record-table.ts';
import { sumIn } from '../order/labels.ts';
import { isFinal, type OrderItem, type Removal, type RemovedPart } from '../order/order-item.ts';
import { UNDECIDED } from '../package/kept-decision.ts';
import { answersIn } from '../staging/rejected-upload.ts';

/**
 * The attributes that remain of the item `order`, besides what reports count: references, times and the status. Without them, a package
 * with the same `orderRef` would start a second order. All others are removed.
 */
const STAYS = [
  'orderRef',
  'item',
  'status',
  'statusSince',
  'waitingFor',
  'listedUnder',
  'createdAt',
  'changedAt',
  'packageVersionId',
  'choose',
  'signing',
  'orderId',
  'generation',
  'execution',
  'eventCount',
  'notBefore',
] as const satisfies (keyof OrderItem)[];

/** The item `order` without anything that may be personal. It is not in the index of orders with data to remove. */
export function reducedOrder(order: OrderItem, removal: Removal): OrderItem {
  const remainsAfterRemoval = Object.fromEntries(
    STAYS.filter((name) => order[name] !== undefined).map((name) => [name, order[name]]),
  ) as unknown as Pick<OrderItem, (typeof STAYS)[number]>;
  const { failure, dismissed, labels, report } = order;
  return {
    ...remainsAfterRemoval,
    report: { ...report, sum: report?.sum ?? sumIn(labels ?? {}) },
    documents: [],
    decision: UNDECIDED,
    ...(failure && { failure: { ...failure, cause: 'The cause was removed with the data of the order.' } }),
    ...(dismissed && { dismissed }),
    removal,
  };
}

/** Whether the item stays in a reduced record: the order, and the lines of the timeline that prove holds and removals. */
export const stays = (item: string): boolean => item === 'order' || /^event#[^#]+#(removed|hold)-/.test(item);

/** The state of a removal that begins or continues with `found` things to remove. */
export function beginRemoval(before: RemovedPart | undefined, by: string, found: number): RemovedPart {
  if (!before) return { by, begunAt: new Date().toISOString(), count: found };
  const { by: _by, begunAt, endedAt, count } = before;
  // An interrupted removal has already counted what is left. Data that came after a complete one was not counted.
  return { by, begunAt, count: endedAt === undefined ? Math.max(count, found) : count + found };
}

export const endRemoval = (part: RemovedPart): RemovedPart => ({ ...part, endedAt: new Date().toISOString() });

export function erasedPage(orderRef: string, { files, record }: Removal) {
  const { count: versions, ...ofFiles } = files;
  const { count: items, ...ofRecord } = record ?? {};
  return { orderRef, files: { versions, ...ofFiles }, ...(record && { record: { items, ...ofRecord } }) };
}

/** Access to an order's data. The sweep and the command line have different clients, but remove in the same way. */
export type OrderData = { table: RecordTable } & Record<'intake' | 'staging', Pick<Folder, 'client' | 'bucket'>>;

/** Writes the item `order`. Returns false and writes nothing if the order is on legal hold, or was dismissed and brought back. */
export async function putOrder({ table }: OrderData, order: OrderItem): Promise<boolean> {
  const isFree = 'attribute_exists(orderRef) AND attribute_not_exists(legalHold)';
  return table.putItem({ ...order }, isFinal(order.status) ? isFree : `${isFree} AND attribute_exists(dismissed)`);
}

export async function publishFile({ staging }: OrderData, Key: string, Body: string): Promise<void> {
  const object = { Bucket: staging.bucket, Key, Body, ContentType: 'application/json' };
  await staging.client.send(new PutObjectCommand(object));
}

/** The page that lists what was removed. It is not removed from staging. */
export const erasedKey = (orderRef: string): string => `orders/${orderRef}/erased.json`;

/** All objects of the order in both buckets, answers to rejected uploads included, except the page that lists what was removed. */
export function foldersOf({ intake, staging }: OrderData, orderRef: string): Folder[] {
  const prefix = `orders/${orderRef}/`;
  return [
    { ...intake, prefix },
    { ...staging, prefix, except: erasedKey(orderRef) },
    { ...staging, prefix: answersIn(orderRef) },
  ];
}
