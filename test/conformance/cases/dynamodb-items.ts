import { DeleteItemCommand, DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { breaks, casesOf, unchecked } from '../case.ts';

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

const put = [
  accepts('an item', PutItemCommand, { Item: { ...key('one', 'a'), n: { N: '1' } } }),
  accepts(
    'an empty text in an attribute',
    PutItemCommand,
    { Item: { ...key('one', 'b'), t: { S: '' } } },
    { differs: { 'dynamodb-local': { got: 'ValidationException', why: 'AWS has allowed it since May 2020.' } } },
  ),
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

const remove = [
  refuses('a condition that is false', DeleteItemCommand, { ...one, ConditionExpression: 'attribute_not_exists(n)' }, 'ConditionalCheckFailedException'),
  answers('an item', DeleteItemCommand, { ...one, ReturnValues: 'ALL_OLD' }, ({ Attributes }) => Attributes?.n, { N: '2' }),
  answers('an item that does not exist', DeleteItemCommand, one, attributes, undefined),
  refuses('an empty sort key', DeleteItemCommand, { Key: key('one', '') }, 'ValidationException', { source: TYPES, ...unchecked }),
];

export const dynamoDbItems = [...put, ...get, ...update, ...remove];
