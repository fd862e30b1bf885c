import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';
import { allow, attribute, Key, resources, tableArn } from './iam-fixture.ts';

const CODE = 'export const reader = async () => 1;';
const below = (pattern: string) => ({ 'Fn::Join': ['', [attribute('Bucket'), `/${pattern}`]] });
const managed = (name: string, Statement: object[], more: object = {}) => ({
  Type: 'AWS::IAM::ManagedPolicy',
  Properties: { ManagedPolicyName: name, PolicyDocument: { Statement }, ...more },
});
const table = attribute('Table');
const policies = {
  Writer: managed('writer', [allow('s3:PutObject', below('orders/*')), allow('dynamodb:GetItem', table)]),
  OneItem: managed('one-item', [
    allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem'], table, {
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['#stage'] } },
    }),
  ]),
  Columns: managed('columns', [
    allow(['dynamodb:UpdateItem', 'dynamodb:PutItem'], table, {
      Condition: { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['id', 'state', 'since'] } },
    }),
  ]),
  Orders: managed('orders', [
    allow(['dynamodb:PutItem', 'dynamodb:Query'], table, {
      Condition: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['#order/*'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    }),
  ]),
  Looker: managed('looker', [allow('cloudformation:DescribeStacks', 'arn:aws:cloudformation:*:*:stack/Stack/*')]),
  Blind: managed('blind', [allow('cloudformation:DescribeStacks', { Ref: 'AWS::StackId' })]),
};
const arnOf = (name: string) => `arn:aws:iam::000000000000:policy/${name}`;

async function start(role: object = {}, more: object = {}) {
  const stacks = { Stack: { Resources: { ...resources([allow('s3:GetObject', '*')], role), ...policies, ...more } } };
  const { aws } = await startHandmade(stacks, { code: CODE });
  return aws;
}

/** Calls an operation that is sent as a form. */
async function ask(endpoint: string, key: string, service: string, form: Record<string, string>) {
  const headers = { authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request` };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: new URLSearchParams(form) });
  return { status: answer.status, text: await answer.text() };
}

const put = (client: S3Client, name: string) =>
  client.send(new PutObjectCommand({ Bucket: 'bucket', Key: name, Body: 'x' }));

test('everybody may ask STS who they are, and nothing else', async () => {
  const aws = await start();
  aws.addPerson('anna', arnOf('writer'));
  const askSts = (key: string, Action: string) => ask(aws.endpoint, key, 'sts', { Action, Version: '2011-06-15' });
  const named = (name: string) => expect.stringContaining(`<Arn>arn:aws:iam::000000000000:user/${name}</Arn>`);
  expect(await askSts('anna', 'GetCallerIdentity')).toEqual({ status: 200, text: named('anna') });
  expect(await askSts('local', 'GetCallerIdentity')).toEqual({ status: 200, text: named('local') });
  expect(await askSts('anna', 'GetSessionToken')).toMatchObject({ status: 403 });
});

test('the right to one item of a table is checked by its partition key, in a batch for each item', async () => {
  const aws = await start();
  const dynamodb = new DynamoDBClient(aws.addPerson('anna', arnOf('one-item')));
  const keyOf = (id: string) => ({ id: { S: id } });
  const read = (id: string) => dynamodb.send(new GetItemCommand({ TableName: 'table', Key: keyOf(id) }));
  const readAll = (table: string, ...ids: string[]) =>
    dynamodb.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys: ids.map(keyOf) } } }));
  await read('#stage');
  await readAll('table', '#stage');
  await expect(read('order-1')).rejects.toMatchObject({ name: 'AccessDeniedException' });
  await expect(readAll('table', '#stage', 'order-1')).rejects.toMatchObject({
    message: expect.stringContaining(`dynamodb:BatchGetItem on resource: ${tableArn('table')}`),
  });
  await expect(readAll('other', '#stage')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

const updates: [Partial<UpdateItemCommandInput>, isAllowed: boolean][] = [
  [{ UpdateExpression: 'SET #s = if_not_exists(since, :v)' }, true],
  [{ UpdateExpression: 'REMOVE since' }, true],
  [{ UpdateExpression: 'SET since = :v, decision = :v' }, false],
  [{ UpdateExpression: 'SET decision.choices[0] = :v' }, false],
  [{ UpdateExpression: 'SET #d = :v' }, false],
  [{ UpdateExpression: 'REMOVE since', ConditionExpression: 'attribute_exists(#d)' }, false],
  [{ AttributeUpdates: { decision: { Value: { S: 'a' } } } }, false],
];

test('the right to some attributes holds for updates that set, remove and look at no others', async () => {
  const aws = await start();
  const dynamodb = new DynamoDBClient(aws.addPerson('anna', arnOf('columns')));
  for (const [update, isAllowed] of updates) {
    const used = (given: object) => {
      const found = Object.entries(given).filter(([name]) => JSON.stringify(update).includes(name));
      return found.length > 0 ? Object.fromEntries(found) : undefined;
    };
    const ExpressionAttributeNames = used({ '#s': 'state', '#d': 'decision' });
    const placeholders = { ExpressionAttributeNames, ExpressionAttributeValues: used({ ':v': { S: 'a' } }) };
    const sent = dynamodb.send(new UpdateItemCommand({ TableName: 'table', Key, ...update, ...placeholders }));
    if (isAllowed) await sent;
    else await expect(sent, JSON.stringify(update)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  }
});

test('the right to items of some partitions holds for a new item, and for a query of one partition', async () => {
  const aws = await start();
  const dynamodb = new DynamoDBClient(aws.addPerson('anna', arnOf('orders')));
  const put = (id: string) => dynamodb.send(new PutItemCommand({ TableName: 'table', Item: { id: { S: id } } }));
  const query = (id: string) =>
    dynamodb.send(
      new QueryCommand({
        TableName: 'table',
        KeyConditionExpression: '#id = :id',
        ExpressionAttributeNames: { '#id': 'id' },
        ExpressionAttributeValues: { ':id': { S: id } },
      }),
    );
  await put('#order/1');
  expect((await query('#order/1')).Count).toBe(1);
  for (const attempt of [put, query])
    await expect(attempt('#stage')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test('the right to describe a stack is checked by the stack', async () => {
  const aws = await start();
  const settings = aws.addPerson('anna', arnOf('looker'));
  const client = new CloudFormationClient(settings);
  expect((await client.send(new DescribeStacksCommand({ StackName: 'Stack' }))).Stacks).toHaveLength(1);
  const refused = { name: 'AccessDenied' };
  await expect(client.send(new DescribeStacksCommand({ StackName: 'Other' }))).rejects.toMatchObject(refused);
  await expect(client.send(new DescribeStacksCommand({}))).rejects.toMatchObject(refused);
});

test('a permission to describe a stack by its id is refused: on AWS it would not hold for the name of the stack', async () => {
  const aws = await start();
  expect(() => aws.addPerson('anna', arnOf('blind'))).toThrow(
    /allows cloudformation:DescribeStacks on "arn:.*:stack\/Stack\/local", but on AWS that action has no such resource\.$/,
  );
});

test.each([
  ['of its stack', { ManagedPolicyArns: [{ Ref: 'Writer' }] }, {}],
  [
    'that names it',
    {},
    { Named: managed('named', [allow('s3:PutObject', below('orders/*'))], { Roles: [{ Ref: 'Role' }] }) },
  ],
])('a role has the rights of a managed policy %s', async (_title, role, more) => {
  const aws = await start(role, more);
  const s3 = new S3Client({ ...aws.clientSettings, credentials: { accessKeyId: 'reader', secretAccessKey: 'any' } });
  await put(s3, 'orders/a/order.json');
  await expect(put(s3, 'signing/a')).rejects.toMatchObject({ name: 'AccessDenied' });
});

test('an unknown managed policy of a person is refused by its name', async () => {
  const aws = await start();
  expect(() => aws.addPerson('anna', arnOf('other'))).toThrow(
    'anna has the managed policy arn:aws:iam::000000000000:policy/other, which is not a policy of these stacks.',
  );
});

test('a role may do what both its policies and its permissions boundary allow, and GetRole shows the boundary', async () => {
  const bounds = [
    allow('s3:*', below('*')),
    { ...allow('s3:PutObject', below('orders/closed/*')), Effect: 'Deny' },
    allow('dynamodb:GetItem', table),
  ];
  const writes = [
    { PolicyName: 'writes', PolicyDocument: { Statement: allow(['s3:PutObject', 'dynamodb:Query'], '*') } },
  ];
  const bounded = { PermissionsBoundary: { Ref: 'Bounds' }, Policies: writes };
  const aws = await start(bounded, { Bounds: managed('bounds', bounds) });
  const client = { ...aws.clientSettings, credentials: { accessKeyId: 'reader', secretAccessKey: 'any' } };
  const [s3, dynamodb] = [new S3Client(client), new DynamoDBClient(client)];
  await put(s3, 'orders/a/order.json');
  await expect(put(s3, 'orders/closed/a')).rejects.toThrow(/ with an explicit deny in a permissions boundary$/);
  const query = {
    TableName: 'table',
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': Key.id },
  };
  await expect(dynamodb.send(new QueryCommand(query))).rejects.toThrow(
    / because no permissions boundary allows the dynamodb:Query action$/,
  );
  // The boundary allows it, but no policy of the role.
  await expect(dynamodb.send(new GetItemCommand({ TableName: 'table', Key }))).rejects.toThrow(
    /on resource: \S+table$/,
  );
  const getRole = (RoleName: string, key = 'local') =>
    ask(aws.endpoint, key, 'iam', { Action: 'GetRole', Version: '2010-05-08', RoleName });
  expect(await getRole('reader-role')).toEqual({
    status: 200,
    text: expect.stringContaining(`<PermissionsBoundaryArn>${arnOf('bounds')}</PermissionsBoundaryArn>`),
  });
  expect(await getRole('nobody')).toMatchObject({ status: 404, text: expect.stringContaining('NoSuchEntity') });
  expect(await getRole('reader-role', 'reader')).toMatchObject({ status: 403 });
});

test('a permissions boundary that is not a policy of the stacks is refused by its name', async () => {
  await expect(start({ PermissionsBoundary: arnOf('bounds') })).rejects.toThrow(
    'Role (AWS::IAM::Role) has the managed policy arn:aws:iam::000000000000:policy/bounds, which the embedded AWS does not know.',
  );
});
