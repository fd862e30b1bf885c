import { beforeEach, describe, expect, test } from 'vitest';
import { DynamoDbService } from '../../dynamodb/service.ts';
import type { JsonObject } from '../../protocol/operation.ts';
import { SystemClock } from '../../time/clock.ts';

const TableName = 'orders';
const Key = { ref: { S: 'A-1' } };

const nobody = { publish: () => undefined } as unknown as ConstructorParameters<typeof DynamoDbService>[1];
let dynamoDb: DynamoDbService;

beforeEach(async () => {
  dynamoDb = new DynamoDbService({ accountId: '000000000000', region: 'eu-central-1' }, nobody, new SystemClock());
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
/** An update if a condition on the attribute `state` or `count` holds. */
const updateIf = (ConditionExpression: string, name: string, values: JsonObject) =>
  update('SET seen = :seen', values, { ConditionExpression, ExpressionAttributeNames: { '#name': name } });

describe('an expression that DynamoDB has seen before', () => {
  test('is used with the names and values of its own request', async () => {
    const expression = 'SET #name = :value, history = list_append(if_not_exists(history, :none), :new)';
    for (const name of ['one', 'two', 'two']) {
      const values = { ':value': { S: name }, ':none': { L: [] }, ':new': { L: [{ S: name }] } };
      await update(expression, values, { ExpressionAttributeNames: { '#name': name } });
    }
    const history = { L: [{ S: 'one' }, { S: 'two' }, { S: 'two' }] };
    expect(await item()).toMatchObject({ one: { S: 'one' }, two: { S: 'two' }, history });
  });

  test('holds or fails by the values of its own request', async () => {
    const change = (state: string) => updateIf('#name = :seen', 'state', { ':seen': { S: state } });
    await change('open');
    await expect(change('closed')).rejects.toThrow('The conditional request failed');
    await change('open');
  });

  test('is checked again when a value has another type', async () => {
    for (const [type, problem] of [['N'], ['S', 'operand type: STRING'], ['N']] as const) {
      const added = update('ADD numbers :more', { ':more': { [type]: '1' } });
      await (problem ? expect(added).rejects.toThrow(problem) : added);
    }
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
      updateIf('#name BETWEEN :seen AND :high', 'count', { ':seen': { N: low }, ':high': { N: high } });
    await between('0', '5');
    await expect(between('5', '0')).rejects.toThrow('upper bound to be greater than or equal to lower bound');
  });

  test('is not changed by its use: a key may be on the right side, and attributes are read, every time', async () => {
    for (const ref of ['A-1', 'A-2', 'A-1']) {
      const { Items } = await dynamoDb.call('Query', {
        TableName,
        KeyConditionExpression: ':ref = #ref',
        ProjectionExpression: '#count',
        ExpressionAttributeNames: { '#ref': 'ref', '#count': 'count' },
        ExpressionAttributeValues: { ':ref': { S: ref } },
      });
      expect(Items).toEqual(ref === 'A-1' ? [{ count: { N: '1' } }] : []);
    }
  });
});
