import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';
import { allow, attribute, Key, managed, resources, tableArn } from './iam-fixture.ts';

const CODE = 'export const reader = async () => 1;';
const table = attribute('Table');
const policies = {
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
  Looker: managed('looker', [allow('cloudformation:DescribeStacks', 'arn:aws:cloudformation:*:*:stack/Stack/*')]),
  Blind: managed('blind', [allow('cloudformation:DescribeStacks', { Ref: 'AWS::StackId' })]),
};
const arnOf = (name: string) => `arn:aws:iam::000000000000:policy/${name}`;

async function start(role: object = {}, more: object = {}) {
  const stacks = { Stack: { Resources: { ...resources([allow('s3:GetObject', '*')], role), ...policies, ...more } } };
  const { aws } = await startHandmade(stacks, { code: CODE });
  return aws;
}

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
    /allows cloudformation:DescribeStacks on "arn:.*:stack\/Stack\/local", but this action needs another resource type\.$/,
  );
});
