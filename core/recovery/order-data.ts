import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Folder } from '../aws/object-versions.ts';
import type { OrderTable } from '../aws/order-table.ts';
import { isFinal, type OrderItem } from '../order/order-item.ts';
import { answersIn } from '../people/rejected-upload.ts';

/** An item of an order's record. */
export interface RecordItem {
  orderRef: string;
  item: string;
}

/** A bucket, and the client that reaches it. */
export interface Place {
  client: S3Client;
  bucket: string;
}

/** How an order's data are reached. The sweep and the command line have different clients, and remove in the same way. */
export interface OrderData {
  table: OrderTable;
  intake: Place;
  staging: Place;
}

/** Writes the item `order`. Returns false, and writes nothing, if it is not to be removed. */
export async function putOrder({ table }: OrderData, order: OrderItem): Promise<boolean> {
  return table.putItem({ ...order }, mayRemove(order));
}

/** Writes a small file to staging. */
export async function stageFile({ staging }: OrderData, Key: string, Body: string): Promise<void> {
  const object = { Bucket: staging.bucket, Key, Body, ContentType: 'application/json' };
  await staging.client.send(new PutObjectCommand(object));
}

/** The condition: no legal hold keeps the order, and one that was dismissed was not brought back. */
function mayRemove({ status }: OrderItem): string {
  const isFree = 'attribute_exists(orderRef) AND attribute_not_exists(legalHold)';
  return isFinal(status) ? isFree : `${isFree} AND attribute_exists(dismissed)`;
}

/** The page that says what was removed. It stays in staging. */
export function erasedKey(orderRef: string): string {
  return `orders/${orderRef}/erased.json`;
}

/** Everything of the order in both buckets, except the page that says what was removed. With the answers to rejected uploads. */
export function foldersOf({ intake, staging }: OrderData, orderRef: string): Folder[] {
  const prefix = `orders/${orderRef}/`;
  return [
    { ...intake, prefix },
    { ...staging, prefix, except: erasedKey(orderRef) },
    { ...staging, prefix: answersIn(orderRef) },
  ];
}
