import { createRequire } from 'node:module';
import type { Account } from '../account.ts';
import type { Changes } from '../changes.ts';
import { AwsError, type JsonObject, notSupported, type Operations } from '../protocol/operation.ts';
import { nextTurn } from '../time/activity.ts';
import type { Clock } from '../time/clock.ts';
import { checkExpressionSizes, checkKeyValues, checkUpdatedItems } from './key-values.ts';
import { MemoryStore, type TableDescription } from './memory-store.ts';
import { createPointInTime } from './point-in-time.ts';

const OPERATIONS =
  'BatchGetItem BatchWriteItem CreateTable DeleteItem DescribeTable GetItem PutItem Query Scan UpdateItem';

/** An action of dynalite: takes validated input and returns the response body. */
type Action = (
  store: MemoryStore,
  input: JsonObject,
  callback: (error: Error | null, output?: JsonObject) => void,
) => void;

interface Validation {
  types: object;
  custom?: (input: JsonObject, store: MemoryStore) => unknown;
}

interface Validations {
  /** Returns a copy of the input with only known properties. */
  checkTypes(input: JsonObject, types: object): JsonObject;
  checkValidations(input: JsonObject, types: object, custom: Validation['custom'], store: MemoryStore): void;
}

/** An error of dynalite: `body` is DynamoDB's response body. */
interface DynaliteError extends Error {
  statusCode?: number;
  body?: { __type: string; message?: string; Message?: string };
}

const require = createRequire(import.meta.url);
const validations = require('dynalite/validations') as Validations;
checkUpdatedItems();

/**
 * DynamoDB: dynalite's actions and validations on an in-memory store. dynalite's own store is slower: it serializes items and needs
 * several turns of the event loop for each. Its server needs its own socket.
 */
export function createDynamoDb(account: Account, changes: Changes, clock: Clock) {
  const store = new MemoryStore(account, (table, item) => changes.publish({ type: 'item', table, item }));
  const tableOf = ({ TableName }: JsonObject): TableDescription | undefined => {
    let found: TableDescription | undefined;
    store.tableDb.get(String(TableName), (_error, table) => {
      found = table;
    });
    return found;
  };
  const known = Object.fromEntries(OPERATIONS.split(' ').map((name) => [name, operationOf(name, store, tableOf)]));
  const call = async (name: string, input: JsonObject): Promise<JsonObject> => {
    const operation = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!operation) throw notSupported('UnknownOperationException', `the DynamoDB operation ${name}`);
    // Copies input and output, so callers cannot change stored items.
    return structuredClone(await operation(structuredClone(input)));
  };
  /** Creates a table and waits until it can be used. */
  const createTable = async (table: JsonObject): Promise<void> => {
    await call('CreateTable', table);
    while (tableOf(table)?.TableStatus !== 'ACTIVE') await nextTurn();
  };
  const copyItems = (from: string, to: string) => store.copyItems(from, to);
  const pointInTime = createPointInTime({ call, createTable, copyItems }, clock);
  return {
    createTable,
    pointInTime,
    operations: { ...known, ...pointInTime.operations } as Operations,
    /** Deletes all items. Tables stay. */
    forget: () => store.forget(),
    partitionKeyOf: (input: JsonObject): string | undefined => {
      const { KeySchema = [] } = tableOf(input) ?? {};
      return KeySchema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName;
    },
  };
}

function operationOf(
  name: string,
  store: MemoryStore,
  tableOf: (input: JsonObject) => TableDescription | undefined,
): (input: JsonObject) => Promise<JsonObject> {
  const file = `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;
  const action = require(`dynalite/actions/${file}`) as Action;
  const { types, custom } = require(`dynalite/validations/${file}`) as Validation;
  return (given) =>
    new Promise((resolve, reject) => {
      try {
        const input = validations.checkTypes(given, types);
        checkExpressionSizes(input);
        validations.checkValidations(input, types, custom, store);
        checkKeyValues(input, tableOf);
        action(store, input, (error, output) => (error ? reject(asAwsError(error)) : resolve(output ?? {})));
      } catch (error) {
        reject(asAwsError(error as Error));
      }
    });
}

function asAwsError(error: DynaliteError): Error {
  if (!error.body || error.statusCode === undefined) return error;
  const code = error.body.__type.split('#').pop() ?? '';
  return new AwsError(code, error.body.message ?? error.body.Message ?? '', error.statusCode);
}
