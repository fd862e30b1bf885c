import { createRequire } from 'node:module';
import { AwsError, isJsonObject, type Json, type JsonObject, objectOf } from '../protocol/operation.ts';
import type { Keyed, TableDescription } from './memory-store.ts';

/** DynamoDB's limits for key values, in bytes of UTF-8, and its messages. */
const LARGEST = { HASH: 2_048, RANGE: 1_024 };
const TOO_LARGE = {
  HASH: 'Size of hashkey has exceeded the maximum size limit of 2048 bytes',
  RANGE: 'Aggregated size of all range keys has exceeded the size limit of 1024 bytes',
};

type TableOf = (request: JsonObject) => TableDescription | undefined;

/**
 * Throws an AwsError (ValidationException) if a key value in a request, also of an index, is empty or too large. dynalite checks only
 * the table's keys, only in some operations, and counts characters instead of bytes.
 */
export function checkKeyValues(input: JsonObject, tableOf: TableOf): void {
  for (const request of requestsOf(input)) {
    const table = tableOf(request);
    if (!table) continue;
    const schemas = schemasOf(table);
    for (const values of [request.Key, request.Item, request.ExclusiveStartKey]) checkValues(values, schemas);
    const queried = schemas.filter(({ IndexName }) => IndexName === request.IndexName);
    for (const [name, condition] of Object.entries(request.KeyConditions ?? {})) {
      const { AttributeValueList: values = [] } = condition as { AttributeValueList?: Json[] };
      for (const value of values) checkValues({ [name]: value }, queried);
    }
  }
}

/** Splits a batch into single requests. Returns any other request unchanged. */
export function requestsOf(input: JsonObject): JsonObject[] {
  if (!isJsonObject(input.RequestItems)) return [input];
  return Object.entries(input.RequestItems).flatMap(([TableName, parts]) => {
    if (isJsonObject(parts)) return [parts.Keys ?? []].flat().map((Key) => ({ TableName, Key }));
    // Each write is one of {"PutRequest": {"Item": …}} and {"DeleteRequest": {"Key": …}}.
    return [parts].flat().flatMap((write) => Object.values(write ?? {}).map((one) => ({ TableName, ...Object(one) })));
  });
}

/**
 * Patches dynalite to check the index keys of an updated item before it stores the item. Needed until a release checks them
 * (github.com/architect/dynalite, issues 35 and 184; open for 4.0.0).
 */
export function checkUpdatedItems(): void {
  type Update = (
    store: object,
    table: TableDescription,
    before: unknown,
    item: Json,
    done: (error: Error) => void,
  ) => void;
  const database = createRequire(import.meta.url)('dynalite/db') as { updateIndexes: Update };
  const { updateIndexes } = database;
  database.updateIndexes = (store, table, before, item, done) => {
    try {
      checkValues(item, schemasOf(table));
    } catch (error) {
      return done(error as Error);
    }
    updateIndexes(store, table, before, item, done);
  };
}

function schemasOf(table: TableDescription): Keyed[] {
  return [table, ...(table.GlobalSecondaryIndexes ?? [])];
}

function checkValues(values: Json | undefined, schemas: readonly Keyed[]): void {
  if (!isJsonObject(values)) return;
  for (const { KeySchema = [], IndexName } of schemas) {
    for (const { AttributeName: name, KeyType } of KeySchema) {
      const size = sizeOf(values[name]);
      const of = IndexName === undefined ? `Key: ${name}` : `IndexName: ${IndexName}, IndexKey: ${name}`;
      if (size === 0) {
        const what = IndexName === undefined ? '' : 'A value specified for a secondary index key is not supported. ';
        throw invalid(
          `are not valid. ${what}The AttributeValue for a key attribute cannot contain an empty string value. ${of}`,
        );
      }
      if (size > LARGEST[KeyType]) throw invalid(`were invalid: ${TOO_LARGE[KeyType]}`);
    }
  }
}

/** The size of a string or binary value. For others NaN, which is neither 0 nor above a limit. */
function sizeOf(value: Json | undefined): number {
  const { S: text, B: binary } = objectOf(value);
  if (typeof text === 'string') return Buffer.byteLength(text);
  return typeof binary === 'string' ? Buffer.byteLength(binary, 'base64') : Number.NaN;
}

function invalid(problem: string): AwsError {
  return new AwsError('ValidationException', `One or more parameter values ${problem}`);
}

/** DynamoDB's limit for an expression, with its placeholders not replaced. Bytes. */
const LARGEST_EXPRESSION = 4_096;

export function checkExpressionSizes(input: JsonObject): void {
  for (const request of [input, ...Object.values(input.RequestItems ?? {})].filter(isJsonObject)) {
    for (const [name, expression] of Object.entries(request)) {
      if (!name.endsWith('Expression') || Buffer.byteLength(String(expression)) <= LARGEST_EXPRESSION) continue;
      const message = `Invalid ${name}: Expression size has exceeded the maximum allowed size;`;
      throw new AwsError('ValidationException', message);
    }
  }
}
