import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

const TableName = 'orders';
const key = (id: string, piece = 'a') => ({ id: { S: id }, piece: { S: piece } });
const indexed = (kind: string, since = 'a') => ({ ...key('a'), kind: { S: kind }, since: { S: since } });
const TOO_LONG = 'Ж'.repeat(1_025);

let dynamodb: DynamoDBClient;

beforeEach(async () => {
  const { config } = await startHandmade({ Stack: { Resources: {} } });
  dynamodb = new DynamoDBClient(config);
  const schema = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  const names = ['id', 'piece', 'kind', 'since'];
  await dynamodb.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: schema('id', 'piece'),
      GlobalSecondaryIndexes: [
        { IndexName: 'byKind', KeySchema: schema('kind', 'since'), Projection: { ProjectionType: 'ALL' } },
      ],
    }),
  );
});

const put = (Item: PutItemCommand['input']['Item']) => new PutItemCommand({ TableName, Item });
const update = (UpdateExpression: string, values: Record<string, string>) =>
  new UpdateItemCommand({
    TableName,
    Key: key('a'),
    UpdateExpression,
    ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, S]) => [name, { S }])),
  });
const query = (KeyConditionExpression: string, id: string, piece: string, IndexName?: string) =>
  new QueryCommand({
    TableName,
    IndexName,
    KeyConditionExpression,
    ExpressionAttributeValues: { ':id': { S: id }, ':piece': { S: piece } },
  });
const refusal = (command: object) =>
  dynamodb.send(command as GetItemCommand).then(
    () => 'not refused',
    ({ name, message }) => `${name}: ${message}`,
  );

/** Requests with a key `id`, in every operation that takes keys. */
const withKey = (id: string) => ({
  GetItem: new GetItemCommand({ TableName, Key: key(id) }),
  PutItem: put(key(id)),
  UpdateItem: new UpdateItemCommand({ TableName, Key: key(id) }),
  DeleteItem: new DeleteItemCommand({ TableName, Key: key(id) }),
  BatchGetItem: new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [key('a'), key(id)] } } }),
  'BatchWriteItem, a put': new BatchWriteItemCommand({
    RequestItems: { [TableName]: [{ PutRequest: { Item: key('a') } }, { PutRequest: { Item: key(id) } }] },
  }),
  'BatchWriteItem, a deletion': new BatchWriteItemCommand({
    RequestItems: { [TableName]: [{ DeleteRequest: { Key: key(id) } }] },
  }),
  Query: query('id = :id AND piece = :piece', id, 'a'),
  'Query from a key': new QueryCommand({
    ...query('id = :id AND piece > :piece', 'a', 'a').input,
    ExclusiveStartKey: key(id),
  }),
  Scan: new ScanCommand({ TableName, ExclusiveStartKey: key(id) }),
});

/** Requests with the values `kind` and `since` of the keys of the index. */
const withIndexKey = (kind: string, since = 'a') => ({
  PutItem: put(indexed(kind, since)),
  BatchWriteItem: new BatchWriteItemCommand({
    RequestItems: { [TableName]: [{ PutRequest: { Item: indexed(kind, since) } }] },
  }),
  UpdateItem: update('SET kind = :kind, since = :since', { ':kind': kind, ':since': since }),
  'UpdateItem with another attribute': update('SET kind = if_not_exists(note, :kind), since = :since', {
    ':kind': kind,
    ':since': since,
  }),
  Query: query('kind = :id AND since <= :piece', kind, since, 'byKind'),
});

describe('DynamoDB refuses', () => {
  // The message: https://github.com/getmoto/moto/issues/7062.
  it.each(Object.keys(withKey('')))('an empty key in %s', async (operation) => {
    expect(await refusal(withKey('')[operation as 'GetItem'])).toMatch(
      /^ValidationException: .*The AttributeValue for a key attribute cannot contain an empty string value\. Key: id$/,
    );
    expect(await refusal(new ScanCommand({ TableName, Select: 'COUNT' }))).toBe('not refused');
    expect((await dynamodb.send(new ScanCommand({ TableName }))).Count).toBe(0);
  });

  it('an empty prefix and an empty bound of a sort key', async () => {
    const EMPTY = /cannot contain an empty string value\. Key: piece$/;
    expect(await refusal(query('id = :id AND begins_with(piece, :piece)', 'a', ''))).toMatch(EMPTY);
    expect(await refusal(query('id = :id AND piece BETWEEN :piece AND :id', 'a', ''))).toMatch(EMPTY);
  });

  // The limits: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html. The messages are moto's.
  it.each(Object.keys(withKey('')))('an overlong key in %s', async (operation) => {
    expect(await refusal(withKey(TOO_LONG)[operation as 'GetItem'])).toMatch(/^ValidationException: .*2048 bytes$/);
  });

  // The message for a write: https://github.com/praetorian-inc/chariot-ui/issues/353.
  it.each(Object.keys(withIndexKey('')))('an empty or overlong key of an index in %s', async (operation) => {
    const name = operation as 'PutItem';
    expect(await refusal(withIndexKey('')[name])).toMatch(/^ValidationException: .*an empty string value\./);
    expect(await refusal(withIndexKey('a', '')[name])).toMatch(/^ValidationException: .*an empty string value\./);
    expect(await refusal(withIndexKey(TOO_LONG)[name])).toMatch(/^ValidationException: .*2048 bytes/);
    expect(await refusal(withIndexKey('a', TOO_LONG)[name])).toMatch(/^ValidationException: .*1024 bytes/);
    expect((await dynamodb.send(new ScanCommand({ TableName }))).Count).toBe(0);
  });

  it('the empty value of an attribute that becomes a key of an index by its name', async () => {
    await dynamodb.send(put({ ...indexed('b'), text: { S: '' } }));
    const copy = update('SET kind = #text, more = :more', { ':more': '' });
    const named = new UpdateItemCommand({ ...copy.input, ExpressionAttributeNames: { '#text': 'text' } });
    expect(await refusal(named)).toMatch(/^ValidationException: .*an empty string value\./);
    expect((await dynamodb.send(query('kind = :id AND since <= :piece', 'b', 'z', 'byKind'))).Count).toBe(1);
  });

  // Captured on AWS by https://github.com/ExtendDB/extenddb (tests of the size of expressions).
  it('an expression of more than 4,096 bytes', async () => {
    const [fitting, tooLong] = ['a'.repeat(4_096), 'a'.repeat(4_097)];
    const read = (ProjectionExpression: string) =>
      new GetItemCommand({ TableName, Key: key('a'), ProjectionExpression });
    expect(await refusal(read(fitting))).toBe('not refused');
    const TOO_LARGE =
      /^ValidationException: Invalid \w+Expression: Expression size has exceeded the maximum allowed size;/;
    const values = { ':v': { S: 'v' } };
    const commands = [
      read(tooLong),
      new ScanCommand({ TableName, FilterExpression: `${tooLong} = :v`, ExpressionAttributeValues: values }),
      new PutItemCommand({ TableName, Item: key('a'), ConditionExpression: `attribute_exists(${tooLong})` }),
      query(`id = :id AND ${tooLong} = :piece`, 'a', 'a'),
      update(`SET ${tooLong} = :v`, { ':v': 'v' }),
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [key('a')], ProjectionExpression: tooLong } } }),
    ];
    for (const command of commands) expect(await refusal(command)).toMatch(TOO_LARGE);
  });
});

it('DynamoDB takes empty values of attributes that are no keys', async () => {
  await dynamodb.send(put({ ...key('a'), text: { S: '' } }));
  await dynamodb.send(update('SET more = :more', { ':more': '' }));
  expect((await dynamodb.send(new ScanCommand({ TableName }))).Items).toEqual([
    { ...key('a'), text: { S: '' }, more: { S: '' } },
  ]);
});
