import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateQuery,
  paginateScan,
  QueryCommand,
  type ReturnValue,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

/** The key of an item: the partition key names the record, the sort key `item` names the item in the record. */
export type Key = Record<string, string>;

export type Values = Record<string, unknown>;

type Marshalled = Record<string, AttributeValue>;

const marshalled = (values: Values): Marshalled => marshall(values, { removeUndefinedValues: true });

/** A placeholder may contain only letters, digits and `_`. A fact of a timeline may have a space in its name. */
const placeholder = (name: string) => name.replaceAll(/\W/g, '_');

/** An attribute as an expression names it: `notBefore.readAt` is a member of the map `notBefore`. */
const pathOf = (name: string) =>
  name
    .split('.')
    .map((part) => `#${placeholder(part)}`)
    .join('.');

/** The answer to a conditional write; undefined if its condition is false. Other errors are thrown. */
async function unlessFalse<Answer>(write: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

type IndexRange = { key: string; value: string; is: 'at most' | 'at least' };

/** A table of records. Each record is one item collection. */
export class RecordTable {
  readonly #client: DynamoDBClient;
  readonly #name: string | (() => string);
  readonly #partitionKey: string;

  /**
   * @param client a plain client. A document client adds middleware to each command, which then cannot be cached (`clientDefaults`).
   * @param name the table's name, or a function that reads it when it is needed.
   */
  constructor(client: DynamoDBClient, name: string | (() => string), partitionKey = 'orderRef') {
    this.#client = client;
    this.#name = name;
    this.#partitionKey = partitionKey;
  }

  /** Reads an item consistently; undefined if it does not exist. */
  async getItem<Item>(key: Key): Promise<Item | undefined> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.name, Key: marshalled(key), ConsistentRead: true }),
    );
    return Item && (unmarshall(Item) as Item);
  }

  /** Reads items consistently, a hundred in one request, in the order of `keys`; undefined for each that does not exist. */
  async getItems(keys: readonly Key[]): Promise<(Values | undefined)[]> {
    const found: (Values | undefined)[] = [];
    for (let at = 0; at < keys.length; at += 100) found.push(...(await this.#getBatch(keys.slice(at, at + 100))));
    return found;
  }

  async #getBatch(keys: readonly Key[]): Promise<(Values | undefined)[]> {
    const name = this.name;
    const Keys = keys.map(marshalled);
    const { Responses, UnprocessedKeys } = await this.#client.send(
      new BatchGetItemCommand({ RequestItems: { [name]: { Keys, ConsistentRead: true } } }),
    );
    const items = (Responses?.[name] ?? []).map((item) => unmarshall(item));
    const left = (UnprocessedKeys?.[name]?.Keys ?? []).map((key) => unmarshall(key));
    const isOf = (key: Key) => (one: Values) =>
      one.item === key.item && one[this.#partitionKey] === key[this.#partitionKey];
    // DynamoDB may leave items out when it is busy. The SDK does not repeat that, but it repeats a read of one item.
    return Promise.all(keys.map((key) => (left.some(isOf(key)) ? this.getItem<Values>(key) : items.find(isOf(key)))));
  }

  /** Writes the item if `condition` is true. Returns whether it was. */
  async putItem(item: Values, condition?: string, values?: Values): Promise<boolean> {
    const put = new PutItemCommand({ Item: marshalled(item), ...this.#given(condition, values) });
    return (await unlessFalse(this.#client.send(put))) !== undefined;
  }

  /**
   * Sets the attributes in `changes` if `condition` is true. Returns whether it was. An undefined value removes the
   * attribute. A name may be a path into a map that exists. In `condition`, write an attribute that is in `changes` as `#name`, and any
   * other one as `name`.
   */
  async updateItem(key: Key, changes: Values, condition?: string, values?: Values): Promise<boolean> {
    return (await unlessFalse(this.#client.send(this.#update(key, changes, condition, values)))) !== undefined;
  }

  /** Like {@link updateItem}, but returns the whole changed item; undefined if `condition` was false. */
  async changeItem<Item>(key: Key, changes: Values, condition?: string, values?: Values): Promise<Item | undefined> {
    const changed = await unlessFalse(this.#client.send(this.#update(key, changes, condition, values, 'ALL_NEW')));
    return changed && (unmarshall(changed.Attributes ?? {}) as Item);
  }

  #update(
    key: Key,
    changes: Values,
    condition?: string,
    values?: Values,
    returned: ReturnValue = 'NONE',
  ): UpdateItemCommand {
    const names = Object.keys(changes);
    const isSet = (name: string) => changes[name] !== undefined;
    const set = names.filter(isSet).map((name) => `${pathOf(name)} = :${placeholder(name)}`);
    const remove = names.filter((name) => !isSet(name)).map(pathOf);
    const expression = [set.length && `SET ${set.join(', ')}`, remove.length && `REMOVE ${remove.join(', ')}`];
    const setTo = Object.fromEntries(names.map((name) => [`:${placeholder(name)}`, changes[name]]));
    const taken = Object.keys(values ?? {}).find((name) => name in setTo);
    if (taken) throw new Error(`A change of the record uses ${taken} for two values.`);
    return new UpdateItemCommand({
      Key: marshalled(key),
      UpdateExpression: expression.filter(Boolean).join(' '),
      ExpressionAttributeNames: Object.fromEntries(
        names.flatMap((name) => name.split('.')).map((part) => [`#${placeholder(part)}`, part]),
      ),
      ...this.#given(condition, { ...setTo, ...values }),
      ReturnValues: returned,
    });
  }

  /** The table name, and the parameters of a conditional write. DynamoDB refuses empty values. */
  #given(condition?: string, values: Values = {}) {
    const given = marshalled(values);
    return {
      TableName: this.name,
      ...(condition && { ConditionExpression: condition }),
      ...(Object.keys(given).length > 0 && { ExpressionAttributeValues: given }),
    };
  }

  /** Deletes the item if `condition` is true. Returns whether it was. */
  async deleteItem(key: Key, condition?: string, values?: Values): Promise<boolean> {
    const remove = new DeleteItemCommand({ Key: marshalled(key), ...this.#given(condition, values) });
    return (await unlessFalse(this.#client.send(remove))) !== undefined;
  }

  /** Reads every item of the record whose `item` begins with `prefix`, or all of them, in order and consistently. */
  async queryItems<Item>(record: string, prefix = ''): Promise<Item[]> {
    const ofRecord = `${this.#partitionKey} = :record`;
    const query = {
      TableName: this.name,
      // DynamoDB refuses an empty prefix.
      KeyConditionExpression: prefix ? `${ofRecord} AND begins_with(#item, :prefix)` : ofRecord,
      ...(prefix && { ExpressionAttributeNames: { '#item': 'item' } }),
      ExpressionAttributeValues: marshalled({ ':record': record, ':prefix': prefix || undefined }),
      ConsistentRead: true,
    };
    return allOf(itemsOf<Item>(paginateQuery({ client: this.#client }, query)));
  }

  /**
   * Reads items of an index by its partition key, in the order of its sort key. They may be seconds old.
   * @param range reads only items whose sort key `key` has at most, or at least, this value.
   * @param after the keys of an item: reads only those behind it.
   */
  queryIndex<Item>(index: string, key: string, value: string, range?: IndexRange, after?: Key): AsyncGenerator<Item> {
    const query = { ...this.#indexQuery(index, key, value, range), ExclusiveStartKey: after && marshalled(after) };
    return itemsOf<Item>(paginateQuery({ client: this.#client }, query));
  }

  /** Reads only these attributes, such as `labels.bank`; with `begins`, of items in which this attribute begins with this text. */
  queryFacts<Item>(
    index: string,
    [key, value]: [string, string],
    facts: readonly string[],
    { begins, range }: { begins?: [string, string] | undefined; range?: IndexRange } = {},
  ) {
    const query = this.#indexQuery(index, key, value, range);
    const names = facts.flatMap((fact) => fact.split('.')).map((part) => [pathOf(part), part]);
    const narrowed = {
      ...query,
      ProjectionExpression: facts.map(pathOf).join(', '),
      ...(begins && { FilterExpression: `begins_with(${pathOf(begins[0])}, :begins)` }),
      ExpressionAttributeNames: { ...query.ExpressionAttributeNames, ...Object.fromEntries(names) },
      ExpressionAttributeValues: { ...query.ExpressionAttributeValues, ...marshalled({ ':begins': begins?.[1] }) },
    };
    return itemsOf<Item>(paginateQuery({ client: this.#client }, narrowed));
  }

  /** Reads the last items of an index with this partition key, newest first, in one request: at most `most` of them, and 1 MB. */
  async queryLast<Item>(index: string, key: string, value: string, most: number): Promise<Item[]> {
    const last = { ...this.#indexQuery(index, key, value), ScanIndexForward: false, Limit: most };
    return (await this.#client.send(new QueryCommand(last))).Items?.map((item) => unmarshall(item) as Item) ?? [];
  }

  #indexQuery(index: string, key: string, value: string, range?: IndexRange) {
    const comparison = range?.is === 'at least' ? '>=' : '<=';
    return {
      TableName: this.name,
      IndexName: index,
      KeyConditionExpression: range ? `#key = :value AND #sort ${comparison} :range` : '#key = :value',
      ExpressionAttributeNames: { '#key': key, ...(range && { '#sort': range.key }) },
      ExpressionAttributeValues: marshalled({ ':value': value, ':range': range?.value }),
    };
  }

  /** Reads all items of an index, page by page, in no order. They may be seconds old. */
  async *scanIndex<Item>(index: string): AsyncGenerator<Item[]> {
    const pages = paginateScan({ client: this.#client }, { TableName: this.name, IndexName: index });
    for await (const { Items = [] } of pages) yield Items.map((item) => unmarshall(item) as Item);
  }

  private get name(): string {
    return typeof this.#name === 'string' ? this.#name : this.#name();
  }
}

async function* itemsOf<Item>(pages: AsyncIterable<{ Items?: Marshalled[] | undefined }>): AsyncGenerator<Item> {
  for await (const { Items = [] } of pages) for (const item of Items) yield unmarshall(item) as Item;
}

/** All items of an index. `Array.fromAsync` does the same, but Node 20 lacks it, on which the command line runs too. */
export async function allOf<Item>(found: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of found) items.push(item);
  return items;
}
