import type { Account } from '../account.ts';
import { AwsError, type JsonObject } from '../protocol/operation.ts';
import { MemoryItems } from './memory-items.ts';

type Callback<Value = void> = (error: Error | null, value?: Value) => void;

export interface TableDescription extends Keyed {
  TableStatus: string;
  GlobalSecondaryIndexes?: Keyed[];
}

/** A table or an index. A table has no IndexName. */
export interface Keyed {
  IndexName?: string;
  KeySchema?: { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[];
}

/** DynamoDB's item size limit. Bytes. */
const LARGEST_ITEM = 400 * 1024;

/** The in-memory store for dynalite's actions. */
export class MemoryStore {
  readonly options = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, maxItemSize: LARGEST_ITEM };
  readonly tableDb: MemoryItems<TableDescription> & { awsAccountId: string; awsRegion: string };
  readonly #items = new Map<string, MemoryItems<JsonObject>>();
  readonly #onItem: (table: string, item: JsonObject) => void;

  constructor(
    { accountId: awsAccountId, region: awsRegion }: Account,
    onItem: (table: string, item: JsonObject) => void,
  ) {
    this.#onItem = onItem;
    this.tableDb = Object.assign(new MemoryItems<TableDescription>(), { awsAccountId, awsRegion });
  }

  getTable(name: string, checkStatus: boolean | Callback<TableDescription>, after?: Callback<TableDescription>): void {
    const callback = typeof checkStatus === 'function' ? checkStatus : (after as Callback<TableDescription>);
    const mustBeUsable = checkStatus === true;
    this.tableDb.get(name, (_error, table) => {
      const isUsable = table && !(mustBeUsable && ['CREATING', 'DELETING'].includes(table.TableStatus));
      if (isUsable) return callback(null, table);
      const which = checkStatus ? '' : `: Table: ${name} not found`;
      callback(new AwsError('ResourceNotFoundException', `Requested resource not found${which}`));
    });
  }

  getItemDb(table: string): MemoryItems<JsonObject> {
    return this.#itemsOf(`item-${table}`, (item) => this.#onItem(table, item));
  }

  getIndexDb(indexType: string, table: string, index: string): MemoryItems<JsonObject> {
    return this.#itemsOf(`index-${indexType.toLowerCase()}~${table}~${index}`);
  }

  /** Copies the items of a table and its indexes. The copies share the item objects, which are never changed. */
  copyItems(from: string, to: string): void {
    for (const [name, items] of [...this.#items]) {
      const [kind, table, index] = name.split('~');
      if (name === `item-${from}`) items.copyTo(this.getItemDb(to));
      else if (table === from && kind) items.copyTo(this.#itemsOf([kind, to, index].join('~')));
    }
  }

  /** Deletes the items. Tables stay. */
  forget(): void {
    this.#items.clear();
  }

  #itemsOf(name: string, onPut?: (item: JsonObject) => void): MemoryItems<JsonObject> {
    const known = this.#items.get(name) ?? new MemoryItems<JsonObject>(onPut);
    this.#items.set(name, known);
    return known;
  }
}
