import { AwsError } from '../protocol/errors.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { TableDescription } from './memory-store.ts';

/** DynamoDB's limits in bytes of UTF-8. dynalite counts characters instead. */
const LARGEST = { HASH: 2_048, RANGE: 1_024 };

/**
 * Checks the size of an item's keys, including those of the table's indexes.
 * Throws an AwsError (ValidationException).
 */
export function checkKeySizes({ Key, Item }: JsonObject, table: TableDescription | undefined): void {
  const attributes = Key ?? Item;
  if (!table || !isJsonObject(attributes)) return;
  const indexes = [table, ...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  for (const { AttributeName, KeyType } of indexes.flatMap(({ KeySchema = [] }) => KeySchema)) {
    const value = attributes[AttributeName];
    if (!isJsonObject(value) || typeof value.S !== 'string' || Buffer.byteLength(value.S) <= LARGEST[KeyType]) continue;
    throw new AwsError(
      'ValidationException',
      `One or more parameter values were invalid: the key ${AttributeName} has more than ${LARGEST[KeyType]} bytes`,
    );
  }
}
