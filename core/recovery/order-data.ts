import type { S3Client } from '@aws-sdk/client-s3';
import type { Folder } from '../aws/object-versions.ts';
import { isFinal, type OrderItem } from '../order/order-item.ts';
import { unknownPrefix } from '../people/rejected-line.ts';

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
  intake: Place;
  staging: Place;
  /** Every item of the record; with a prefix, those that begin with it. */
  readItems(orderRef: string, prefix?: string): Promise<RecordItem[]>;
  /** Writes the item `order`. Returns false, and writes nothing, if it is {@link mayRemove not to be removed}. */
  putOrder(order: OrderItem): Promise<boolean>;
  /** Writes another item of the record. */
  putItem(item: RecordItem): Promise<void>;
  removeItem(item: RecordItem): Promise<void>;
  /** Writes a small file to staging. */
  stage(key: string, text: string): Promise<void>;
}

/** The condition of {@link OrderData.putOrder}: no legal hold keeps the order, and one that was dismissed was not brought back. */
export function mayRemove({ status }: OrderItem): string {
  const isFree = 'attribute_exists(orderRef) AND attribute_not_exists(legalHold)';
  return isFinal(status) ? isFree : `${isFree} AND attribute_exists(dismissed)`;
}

/** The page that says what was removed. It stays in staging. */
export function erasedKey(orderRef: string): string {
  return `orders/${orderRef}/erased.json`;
}

/** Everything of the order in both buckets, except the page that says what was removed. With answers to files beside its package. */
export function foldersOf({ intake, staging }: OrderData, orderRef: string): Folder[] {
  const prefix = `orders/${orderRef}/`;
  return [
    { ...intake, prefix },
    { ...staging, prefix, except: erasedKey(orderRef) },
    { ...staging, prefix: unknownPrefix(orderRef) },
  ];
}
