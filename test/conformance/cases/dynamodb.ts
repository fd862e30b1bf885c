import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type ContinuousBackupsDescription,
  DeleteItemCommand,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  RestoreTableToPointInTimeCommand,
  ScanCommand,
  UpdateContinuousBackupsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { breaks, casesOf, moto, unchecked } from '../case.ts';

const { answers, accepts, refuses } = casesOf(DynamoDBClient, 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_{operation}.html', ({ table }) => ({ TableName: table }));
const key = (pk: string, sk: string) => ({ pk: { S: pk }, sk: { S: sk } });
const LIMITS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html';
const TYPES = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html';
const RESERVED = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ReservedWords.html';
const CONDITIONS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html';
const one = { Key: key('one', 'a') };
const values = (value: { S: string } | { N: string }) => ({ ExpressionAttributeValues: { ':v': value } });
const set = (UpdateExpression: string, value: Parameters<typeof values>[0] = { S: 'b' }) => ({ ...one, UpdateExpression, ...values(value) });
const attributes = ({ Attributes }: { Attributes?: object | undefined }) => Attributes;
const manyNames = Array.from({ length: 800 }, (_, index) => `a${index}`).join(', ');
const tooLong = Array(400).fill('attribute_exists(pk)').join(' AND ');

const putItem = [
  accepts('an item', PutItemCommand, { Item: { ...key('one', 'a'), n: { N: '1' } } }),
  accepts('an empty text in an attribute', PutItemCommand, { Item: { ...key('one', 'b'), t: { S: '' } } }),
  refuses('an empty partition key', PutItemCommand, { Item: key('', 'a') }, 'ValidationException', { source: TYPES }),
  refuses('an empty sort key', PutItemCommand, { Item: key('one', '') }, 'ValidationException', { source: TYPES }),
  refuses('an empty key of an index', PutItemCommand, { Item: { ...key('one', 'c'), kind: { S: '' } } }, 'ValidationException', { source: TYPES }),
  refuses('a key of an index of another type', PutItemCommand, { Item: { ...key('one', 'c'), kind: { N: '1' } } }, 'ValidationException', unchecked),
  refuses('a partition key of 2,050 bytes', PutItemCommand, { Item: key('Ж'.repeat(1_025), 'a') }, 'ValidationException', { source: LIMITS }),
  refuses('a sort key of 1,025 bytes', PutItemCommand, { Item: key('one', 'x'.repeat(1_025)) }, 'ValidationException', { source: LIMITS }),
  refuses('a key of an index of 2,049 bytes', PutItemCommand, { Item: { ...key('one', 'c'), kind: { S: 'x'.repeat(2_049) } } }, 'ValidationException', { source: LIMITS }),
  refuses('an item of more than 400 KB', PutItemCommand, { Item: { ...key('one', 'c'), t: { S: 'x'.repeat(410_000) } } }, 'ValidationException', { source: LIMITS }),
  refuses('no sort key', PutItemCommand, { Item: { pk: { S: 'one' } } }, 'ValidationException'),
  refuses('a number of 39 digits', PutItemCommand, { Item: { ...key('one', 'c'), n: { N: '1'.repeat(39) } } }, 'ValidationException', { source: TYPES, ...unchecked }),
  refuses('an empty set', PutItemCommand, { Item: { ...key('one', 'c'), s: { SS: [] } } }, 'ValidationException', { source: TYPES }),
  refuses('an item that exists', PutItemCommand, { Item: key('one', 'a'), ConditionExpression: 'attribute_not_exists(pk)' }, 'ConditionalCheckFailedException'),
  refuses('a value that is not used', PutItemCommand, { Item: key('one', 'c'), ConditionExpression: 'attribute_exists(pk)', ...values({ S: 'x' }) }, 'ValidationException', unchecked),
  refuses('an attribute name that is not given', PutItemCommand, { Item: key('one', 'c'), ConditionExpression: 'attribute_exists(#no)' }, 'ValidationException', breaks),
  refuses('a reserved word', PutItemCommand, { Item: key('one', 'c'), ConditionExpression: 'attribute_exists(status)' }, 'ValidationException', { source: RESERVED }),
  refuses('a condition of more than 4 KB', PutItemCommand, { Item: key('one', 'c'), ConditionExpression: tooLong }, 'ValidationException', { source: LIMITS, ...unchecked }),
  refuses('a table that does not exist', PutItemCommand, ({ table }) => ({ TableName: `${table}-none`, Item: key('one', 'a') }), 'ResourceNotFoundException'),
];

const get = [
  answers('an item', GetItemCommand, { ...one, ConsistentRead: true }, ({ Item }) => Item?.n, { N: '1' }),
  answers('an item that does not exist', GetItemCommand, { Key: key('one', 'none') }, ({ Item }) => Item, undefined),
  answers('one attribute', GetItemCommand, { ...one, ProjectionExpression: 'n' }, ({ Item }) => Item, { n: { N: '1' } }),
  refuses('an empty sort key', GetItemCommand, { Key: key('one', '') }, 'ValidationException', { source: TYPES }),
  refuses('a key without its sort key', GetItemCommand, { Key: { pk: { S: 'one' } } }, 'ValidationException'),
  refuses('a key with another attribute', GetItemCommand, { Key: { ...key('one', 'a'), n: { N: '1' } } }, 'ValidationException'),
  refuses('two paths that overlap', GetItemCommand, { ...one, ProjectionExpression: 'n, n.m' }, 'ValidationException', breaks),
];

const update = [
  answers('a new value', UpdateItemCommand, { ...set('SET n = n + :v', { N: '1' }), ReturnValues: 'UPDATED_NEW' }, attributes, { n: { N: '2' } }),
  answers(
    'an item that does not exist',
    UpdateItemCommand,
    {
      Key: key('one', 'new'),
      UpdateExpression: 'SET l = list_append(if_not_exists(l, :none), :l)',
      ExpressionAttributeValues: { ':none': { L: [] }, ':l': { L: [{ S: 'x' }] } },
      ReturnValues: 'ALL_NEW',
    },
    ({ Attributes }) => Attributes?.l,
    { L: [{ S: 'x' }] },
  ),
  refuses('a condition that is false', UpdateItemCommand, { ...set('REMOVE n', { N: '2' }), ConditionExpression: 'n > :v' }, 'ConditionalCheckFailedException'),
  refuses('an attribute of the key', UpdateItemCommand, set('SET sk = :v'), 'ValidationException'),
  refuses('one path twice', UpdateItemCommand, set('SET n = :v REMOVE n'), 'ValidationException'),
  refuses('a path that does not exist', UpdateItemCommand, set('SET missing.part = :v'), 'ValidationException'),
  refuses('an empty key of an index', UpdateItemCommand, set('SET kind = :v', { S: '' }), 'ValidationException', { source: TYPES }),
  refuses('an attribute that makes the key of an index empty', UpdateItemCommand, set('SET kind = if_not_exists(missing, :v)', { S: '' }), 'ValidationException', { source: TYPES }),
  refuses('an empty partition key', UpdateItemCommand, { Key: key('', 'a'), UpdateExpression: 'REMOVE n' }, 'ValidationException', { source: TYPES, ...unchecked }),
  refuses('an expression of more than 4 KB', UpdateItemCommand, { ...one, UpdateExpression: `REMOVE ${manyNames}` }, 'ValidationException', { source: LIMITS, ...breaks }),
  refuses('a sum with a text', UpdateItemCommand, set('SET n = n + :v', { S: 'x' }), 'ValidationException', { source: CONDITIONS }),
];

const removeItem = [
  refuses('a condition that is false', DeleteItemCommand, { ...one, ConditionExpression: 'attribute_not_exists(n)' }, 'ConditionalCheckFailedException'),
  answers('an item', DeleteItemCommand, { ...one, ReturnValues: 'ALL_OLD' }, ({ Attributes }) => Attributes?.n, { N: '2' }),
  answers('an item that does not exist', DeleteItemCommand, one, attributes, undefined),
  refuses('an empty sort key', DeleteItemCommand, { Key: key('one', '') }, 'ValidationException', { source: TYPES, ...unchecked }),
];

const dynamoDbItems = [...putItem, ...get, ...update, ...removeItem];

type Item = ReturnType<typeof key>;
const sortKeys = ({ Items = [] }: { Items?: Record<string, { S?: string | undefined }>[] | undefined }) => Items.map(({ sk }) => sk?.S).join(' ');
const ofPartition = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': { S: 'many' } } };
const prefixed = (prefix: string) => ({ KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)', ExpressionAttributeValues: { ':pk': { S: 'many' }, ':prefix': { S: prefix } } });
const after = (sk: string) => ({ KeyConditionExpression: 'pk = :pk AND sk > :sk', ExpressionAttributeValues: { ':pk': { S: 'many' }, ':sk': { S: sk } } });
const ofKind = (kind: string) => ({ IndexName: 'byKind', KeyConditionExpression: 'kind = :kind', ExpressionAttributeValues: { ':kind': { S: kind } } });
const later = { FilterExpression: '#at > :one', ExpressionAttributeNames: { '#at': 'at' }, ExpressionAttributeValues: { ':one': { N: '1' } } };
const put = (Item: Item) => ({ PutRequest: { Item } });
const remove = (Key: Item) => ({ DeleteRequest: { Key } });
const write =
  (request: ReturnType<typeof put> | ReturnType<typeof remove>) =>
  ({ table = '' }) => ({ RequestItems: { [table]: [request] } });
const getAll =
  (...Keys: Item[]) =>
  ({ table = '' }) => ({ RequestItems: { [table]: { Keys } } });
const ITEMS = ['a1', 'a2', 'b1'];
const EMPTY_KEYS = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html';

const query = [
  ...ITEMS.map((sk, at) => accepts(`the item ${sk}`, PutItemCommand, { Item: { ...key('many', sk), kind: { S: 'listed' }, at: { N: String(at) } } })),
  answers('a partition, in the order of the sort key', QueryCommand, ofPartition, sortKeys, 'a1 a2 b1'),
  answers('backwards', QueryCommand, { ...ofPartition, ScanIndexForward: false }, sortKeys, 'b1 a2 a1'),
  answers('begins_with on the sort key', QueryCommand, prefixed('a'), sortKeys, 'a1 a2'),
  refuses('an empty begins_with on the sort key', QueryCommand, prefixed(''), 'ValidationException', { source: EMPTY_KEYS }),
  refuses('an empty bound of the sort key', QueryCommand, after(''), 'ValidationException', { source: EMPTY_KEYS }),
  refuses('an empty value for the partition key', QueryCommand, { ...ofPartition, ExpressionAttributeValues: { ':pk': { S: '' } } }, 'ValidationException', { source: EMPTY_KEYS }),
  refuses('an empty value for the key of an index', QueryCommand, ofKind(''), 'ValidationException', { source: EMPTY_KEYS }),
  answers('the first page', QueryCommand, { ...ofPartition, Limit: 2 }, ({ Count, LastEvaluatedKey }) => [Count, LastEvaluatedKey?.sk?.S], [2, 'a2']),
  answers('the next page', QueryCommand, { ...ofPartition, ExclusiveStartKey: key('many', 'a2') }, sortKeys, 'b1'),
  refuses('a page after an empty key', QueryCommand, { ...ofPartition, ExclusiveStartKey: key('many', '') }, 'ValidationException', { source: EMPTY_KEYS, ...unchecked }),
  refuses('a page after an incomplete key', QueryCommand, { ...ofPartition, ExclusiveStartKey: { pk: { S: 'many' } } }, 'ValidationException', breaks),
  answers('an index', QueryCommand, ofKind('listed'), sortKeys, 'a1 a2 b1', { eventually: true }),
  refuses('an index, consistently', QueryCommand, { ...ofKind('listed'), ConsistentRead: true }, 'ValidationException'),
  refuses('an index that does not exist', QueryCommand, { ...ofPartition, IndexName: 'none' }, 'ValidationException', moto('ResourceNotFoundException', 'DynamoDB calls it a ValidationException.')),
  refuses('no partition key', QueryCommand, { ...ofPartition, KeyConditionExpression: 'sk = :pk' }, 'ValidationException'),
  refuses('a filter on a key', QueryCommand, { ...ofPartition, FilterExpression: 'sk = :pk' }, 'ValidationException', unchecked),
  refuses('a limit of 0', QueryCommand, { ...ofPartition, Limit: 0 }, 'ValidationException', breaks),
  refuses('a filter of more than 4 KB', QueryCommand, { ...ofPartition, FilterExpression: Array(400).fill('attr <> :pk').join(' AND ') }, 'ValidationException', { source: LIMITS, ...unchecked }),
  answers('how many', QueryCommand, { ...ofPartition, Select: 'COUNT' }, ({ Count, Items }) => [Count, Items], [3, undefined]),
];

const others = [
  answers('what a filter leaves', ScanCommand, later, sortKeys, 'b1'),
  answers('a page', ScanCommand, { Limit: 1 }, ({ Count, LastEvaluatedKey }) => [Count, LastEvaluatedKey !== undefined], [1, true]),
  refuses('a page after an empty key', ScanCommand, { ExclusiveStartKey: key('', 'a') }, 'ValidationException', { source: EMPTY_KEYS, ...unchecked }),
  ...['', 'x'.repeat(2_049)].flatMap((pk) => [
    refuses(`a key of ${pk.length} bytes`, BatchWriteItemCommand, write(put(key(pk, 'a'))), 'ValidationException', { source: LIMITS }),
    refuses(`the deletion of a key of ${pk.length} bytes`, BatchWriteItemCommand, write(remove(key(pk, 'a'))), 'ValidationException', { source: LIMITS, ...unchecked }),
  ]),
  answers('items that exist', BatchGetItemCommand, getAll(key('many', 'a1'), key('many', 'none')), ({ Responses = {} }) => Object.values(Responses).map((items) => items.length), [1]),
  refuses('one key twice', BatchGetItemCommand, getAll(key('many', 'a1'), key('many', 'a1')), 'ValidationException'),
  refuses('an empty key', BatchGetItemCommand, getAll(key('many', '')), 'ValidationException', { source: EMPTY_KEYS, ...unchecked }),
  refuses('more than 100 keys', BatchGetItemCommand, getAll(...Array.from({ length: 101 }, (_, index) => key('many', `${index}`))), 'ValidationException'),
  refuses('a table that does not exist', BatchGetItemCommand, { RequestItems: { 'conformance-none': { Keys: [key('many', 'a1')] } } }, 'ResourceNotFoundException'),
];

const restore = ({ table = '' }) => ({ SourceTableName: table, TargetTableName: `${table}-restored`, UseLatestRestorableTime: true });
const tooEarly = { TargetTableName: 'conformance-earlier', UseLatestRestorableTime: false, RestoreDateTime: new Date('2026-01-01') };
const recovery = ({ ContinuousBackupsDescription: found }: { ContinuousBackupsDescription?: ContinuousBackupsDescription | undefined }) =>
  found?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
const noException = moto('SourceTableNotFoundException', 'DynamoDB has no such exception.');

/** No case restores a table: on AWS that takes minutes, and leaves a table. test/workflow/recovery/restored-table.test.ts does it. */
const backups = [
  answers('a table that was not restored', DescribeTableCommand, {}, ({ Table }) => [Table?.TableStatus, Table?.RestoreSummary], ['ACTIVE', undefined]),
  answers('a table without point-in-time recovery', DescribeContinuousBackupsCommand, {}, recovery, 'DISABLED'),
  refuses('a table that does not exist', DescribeContinuousBackupsCommand, { TableName: 'conformance-none' }, 'TableNotFoundException'),
  refuses('a table without point-in-time recovery', RestoreTableToPointInTimeCommand, restore, 'PointInTimeRecoveryUnavailableException', unchecked),
  refuses('a source that does not exist', RestoreTableToPointInTimeCommand, restore({ table: 'conformance-none' }), 'TableNotFoundException', noException),
  answers('a table with it', UpdateContinuousBackupsCommand, { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }, recovery, 'ENABLED'),
  refuses('a time before it was enabled', RestoreTableToPointInTimeCommand, (scope) => ({ ...restore(scope), ...tooEarly }), 'InvalidRestoreTimeException', unchecked),
];

export const dynamoDb = { service: 'DynamoDB', cases: [...dynamoDbItems, ...query, ...others, ...backups] };
