import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type ReturnValue,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { isDone } from './conditional-write.ts';

/** The key of an item: the partition key names the record, the sort key `item` names the item in the record. */
export type KeyOf<Partition extends string> = Record<Partition | 'item', string>;

export type Values = Record<string, unknown>;

const marshalled = (values: Values) => marshall(values, { removeUndefinedValues: true });

/** A placeholder may hold letters, digits and `_` alone. A fact of a timeline may have a space in its name. */
const placeholder = (name: string) => name.replaceAll(/\W/g, '_');

/** A table of records. Each record is one item collection. */
export class RecordTable<Partition extends string> {
  /** Name of the partition key attribute. */
  readonly partitionKey: Partition;
  readonly #client: DynamoDBClient;
  readonly #name: string | (() => string);

  /**
   * @param client not the document client: it adds middleware to every command, so the middleware cannot be cached (`clientDefaults`).
   * @param name the table's name, or a function that reads it when it is needed.
   */
  constructor(client: DynamoDBClient, name: string | (() => string), partitionKey: Partition) {
    this.#client = client;
    this.#name = name;
    this.partitionKey = partitionKey;
  }

  /** Reads an item consistently; undefined if it does not exist. */
  async getItem<Item>(key: KeyOf<Partition>): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.name, Key: marshalled(key), ConsistentRead: true }),
    );
    return Item && (unmarshall(Item) as Item);
  }

  /** Reads several items consistently in one request, in the order of `keys`; undefined for each that does not exist. */
  async getItems(keys: readonly KeyOf<Partition>[]): Promise<(Values | undefined)[]> {
    const name = this.name;
    const Keys = keys.map(marshalled);
    const { Responses, UnprocessedKeys } = await this.#client.send(
      new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }),
    );
    const items = (Responses?.[name] ?? []).map((item) => unmarshall(item));
    const left = (UnprocessedKeys?.[name]?.Keys ?? []).map((key) => unmarshall(key));
    const isOf = (key: KeyOf<Partition>) => (one: Values) =>
      one.item === key.item && one[this.partitionKey] === key[this.partitionKey];
    // DynamoDB may leave items out when it is busy. The SDK does not repeat that, but it repeats a read of one item.
    return Promise.all(keys.map((key) => (left.some(isOf(key)) ? this.getItem<Values>(key) : items.find(isOf(key)))));
  }

  /** Writes the item if `condition` is true. Returns whether it was. */
  async putItem(
    item: KeyOf<Partition> & Values,
    condition?: string,
    values?: Values,
    names?: Record<string, string>,
  ): Promise<boolean> {
    return isDone(
      this.#client.send(
        new PutItemCommand({
          TableName: this.name,
          Item: marshalled(item),
          ...(condition && { ConditionExpression: condition }),
          ...(values && { ExpressionAttributeValues: marshalled(values) }),
          ...(names && { ExpressionAttributeNames: names }),
        }),
      ),
    );
  }

  /**
   * Sets the attributes in `changes` if `condition` is true. Returns whether it was. An undefined value removes the
   * attribute. In `condition`, write an attribute that is in `changes` as `#name`, and any other one as `name`.
   */
  async updateItem(key: KeyOf<Partition>, changes: Values, condition?: string, values?: Values): Promise<boolean> {
    return isDone(this.#client.send(this.#update(key, changes, condition, values)));
  }

  /** Like {@link updateItem}, but returns the whole changed item; undefined if `condition` was false. */
  async changeItem<Item>(
    key: KeyOf<Partition>,
    changes: Values,
    condition?: string,
    values?: Values,
  ): Promise<Item | undefined> {
    let changed: Item | undefined;
    const update = this.#update(key, changes, condition, values, 'ALL_NEW');
    await isDone(
      this.#client.send(update).then(({ Attributes = {} }) => {
        changed = unmarshall(Attributes) as Item;
      }),
    );
    return changed;
  }

  #update(
    key: KeyOf<Partition>,
    changes: Values,
    condition: string | undefined,
    values: Values = {},
    returned: ReturnValue = 'NONE',
  ): UpdateItemCommand {
    const names = Object.keys(changes);
    const set = names
      .filter((name) => changes[name] !== undefined)
      .map((name) => `#${placeholder(name)} = :${placeholder(name)}`);
    const remove = names.filter((name) => changes[name] === undefined).map((name) => `#${placeholder(name)}`);
    const expression = [set.length && `SET ${set.join(', ')}`, remove.length && `REMOVE ${remove.join(', ')}`];
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const expressionValues = {
      ...Object.fromEntries(given.map(([name, value]) => [`:${placeholder(name)}`, value])),
      ...values,
    };
    return new UpdateItemCommand({
      TableName: this.name,
      Key: marshalled(key),
      UpdateExpression: expression.filter(Boolean).join(' '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${placeholder(name)}`, name])),
      ...(Object.keys(expressionValues).length > 0 && { ExpressionAttributeValues: marshalled(expressionValues) }),
      ...(condition && { ConditionExpression: condition }),
      ReturnValues: returned,
    });
  }

  /** Deletes the item if `condition` is true. Returns whether it was. */
  async deleteItem(key: KeyOf<Partition>, condition?: string, values?: Values): Promise<boolean> {
    return isDone(
      this.#client.send(
        new DeleteItemCommand({
          TableName: this.name,
          Key: marshalled(key),
          ...(condition && { ConditionExpression: condition }),
          ...(values && { ExpressionAttributeValues: marshalled(values) }),
        }),
      ),
    );
  }

  /** Reads every item of the record whose `item` begins with `prefix`, or all of them, in order and consistently. */
  async queryItems<Item>(record: string, prefix = ''): Promise<Item[]> {
    const ofRecord = `${this.partitionKey} = :record`;
    const items: Item[] = [];
    let start: Record<string, AttributeValue> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.name,
          // DynamoDB refuses an empty prefix.
          KeyConditionExpression: prefix ? `${ofRecord} AND begins_with(#item, :prefix)` : ofRecord,
          ...(prefix && { ExpressionAttributeNames: { '#item': 'item' } }),
          ExpressionAttributeValues: marshalled({ ':record': record, ':prefix': prefix || undefined }),
          ConsistentRead: true,
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      items.push(...(page.Items ?? []).map((item) => unmarshall(item) as Item));
      start = page.LastEvaluatedKey;
    } while (start);
    return items;
  }

  /**
   * Reads items of an index by its partition key, in the order of its sort key. They may be seconds old.
   * @param range reads only items whose sort key `key` has at most, or at least, this value.
   */
  async *queryIndex<Item>(
    index: string,
    key: string,
    value: string,
    range?: { key: string; value: string; is: 'at most' | 'at least' },
  ): AsyncGenerator<Item> {
    const comparison = range?.is === 'at least' ? '>=' : '<=';
    let start: Record<string, AttributeValue> | undefined;
    do {
      const page = await this.#client.send(
        new QueryCommand({
          TableName: this.name,
          IndexName: index,
          KeyConditionExpression: range ? `#key = :value AND #sort ${comparison} :range` : '#key = :value',
          ExpressionAttributeNames: { '#key': key, ...(range && { '#sort': range.key }) },
          ExpressionAttributeValues: marshalled({ ':value': value, ':range': range?.value }),
          ...(start && { ExclusiveStartKey: start }),
        }),
      );
      for (const item of page.Items ?? []) yield unmarshall(item) as Item;
      start = page.LastEvaluatedKey;
    } while (start);
  }

  /** Reads all items of an index, in no order. They may be seconds old. */
  async *scanIndex<Item>(index: string): AsyncGenerator<Item> {
    let start: Record<string, AttributeValue> | undefined;
    do {
      const page = await this.#client.send(
        new ScanCommand({ TableName: this.name, IndexName: index, ...(start && { ExclusiveStartKey: start }) }),
      );
      for (const item of page.Items ?? []) yield unmarshall(item) as Item;
      start = page.LastEvaluatedKey;
    } while (start);
  }

  private get name(): string {
    return typeof this.#name === 'string' ? this.#name : this.#name();
  }
}

/** All items of an index. `Array.fromAsync` does the same, but Node 20 lacks it, on which the command line runs too. */
export async function allOf<Item>(found: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of found) items.push(item);
  return items;
}
