import { beforeEach, describe, expect, test } from 'vitest';
import { DynamoDbService } from '../../dynamodb/service.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';

const TableName = 'orders';
const Key = { ref: { S: 'A-1' } };

const nobody = { publish: () => undefined } as unknown as ConstructorParameters<typeof DynamoDbService>[1];
let dynamoDb: DynamoDbService;

beforeEach(async () => {
  dynamoDb = new DynamoDbService({ accountId: '000000000000', region: 'eu-central-1' }, nobody);
  await dynamoDb.call('CreateTable', {
    TableName,
    AttributeDefinitions: [{ AttributeName: 'ref', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'ref', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  await dynamoDb.call('PutItem', { TableName, Item: { ...Key, count: { N: '1' }, state: { S: 'open' } } });
});

const item = async () => (await dynamoDb.call('GetItem', { TableName, Key })).Item;
const update = (UpdateExpression: string, values: JsonObject, more: JsonObject = {}) =>
  dynamoDb.call('UpdateItem', { TableName, Key, UpdateExpression, ExpressionAttributeValues: values, ...more });
const query = (values: JsonObject, KeyConditionExpression: string, more: JsonObject = {}) =>
  dynamoDb.call('Query', { TableName, KeyConditionExpression, ExpressionAttributeValues: values, ...more });

describe('an expression that DynamoDB has seen before', () => {
  test('is used with the values of its own request', async () => {
    for (const count of ['2', '3', '4']) {
      await update(
        'SET #count = :count, history = list_append(if_not_exists(history, :none), :new)',
        {
          ':count': { N: count },
          ':none': { L: [] },
          ':new': { L: [{ N: count }] },
        },
        { ExpressionAttributeNames: { '#count': 'count' } },
      );
    }
    expect(await item()).toMatchObject({ count: { N: '4' }, history: { L: [{ N: '2' }, { N: '3' }, { N: '4' }] } });
  });

  test('is used with the names of its own request', async () => {
    for (const name of ['first', 'second']) {
      await update('SET #name = :value', { ':value': { S: name } }, { ExpressionAttributeNames: { '#name': name } });
    }
    expect(await item()).toMatchObject({ first: { S: 'first' }, second: { S: 'second' } });
  });

  test('holds or fails by the values of its own request', async () => {
    const change = (state: string) =>
      update(
        'SET changed = :state',
        { ':state': { S: state }, ':known': { S: state } },
        {
          ConditionExpression: '#state = :known',
          ExpressionAttributeNames: { '#state': 'state' },
        },
      );
    await change('open');
    await expect(change('closed')).rejects.toThrow('The conditional request failed');
    await change('open');
  });

  test('is checked again when a value has another type', async () => {
    await update('SET total = count_of + :more', { ':more': { N: '1' } }).catch(() => undefined);
    await expect(update('ADD numbers :more', { ':more': { N: '1' } })).resolves.toBeDefined();
    await expect(update('ADD numbers :more', { ':more': { S: '1' } })).rejects.toThrow('operand type: STRING');
    await expect(update('ADD numbers :more', { ':more': { N: '1' } })).resolves.toBeDefined();
  });

  test('is refused again for a value that no expression uses', async () => {
    const change = (values: JsonObject) => update('SET seen = :seen', { ':seen': { BOOL: true }, ...values });
    await change({});
    for (const _ of [1, 2])
      await expect(change({ ':other': { S: 'x' } })).rejects.toThrow('unused in expressions: keys: {:other}');
    await change({});
  });

  test('is refused again for bounds in the wrong order', async () => {
    const between = (low: string, high: string) =>
      update(
        'SET seen = :low',
        { ':low': { N: low }, ':high': { N: high } },
        {
          ConditionExpression: '#count BETWEEN :low AND :high',
          ExpressionAttributeNames: { '#count': 'count' },
        },
      );
    await between('0', '5');
    await expect(between('5', '0')).rejects.toThrow('upper bound to be greater than or equal to lower bound');
  });

  test('is not changed by its use: a key may be on the right side every time', async () => {
    for (const ref of ['A-1', 'A-2', 'A-1']) {
      const { Items } = (await query({ ':ref': { S: ref } }, ':ref = #ref', {
        ExpressionAttributeNames: { '#ref': 'ref' },
      })) as { Items: Json[] };
      expect(Items).toHaveLength(ref === 'A-1' ? 1 : 0);
    }
  });

  test('reads the same attributes every time', async () => {
    const names = { ExpressionAttributeNames: { '#count': 'count', '#ref': 'ref' } };
    for (const _ of [1, 2, 3]) {
      const { Items } = (await query({ ':ref': { S: 'A-1' } }, '#ref = :ref', {
        ProjectionExpression: '#count',
        ...names,
      })) as { Items: Json[] };
      expect(Items).toEqual([{ count: { N: '1' } }]);
    }
  });
});
