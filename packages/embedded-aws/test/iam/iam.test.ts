import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DescribeExecutionCommand,
  RedriveExecutionCommand,
  SendTaskSuccessCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { invokeFunction, startHandmade } from '../cloudformation/handmade-assembly.ts';
import {
  allow,
  attribute,
  deniedJson,
  deniedS3,
  executions,
  Key,
  machine,
  managed,
  resources,
  startReader,
  tableArn,
} from './iam-fixture.ts';

test('the permissions of a function apply to its own access key, and other keys are not restricted', async () => {
  const { aws, people } = await startReader();
  expect((await invokeFunction(aws.endpoint, 'reader', {})).result.AWS_ACCESS_KEY_ID).toBe('reader');
  await people.dynamodb.send(new PutItemCommand({ TableName: 'other', Item: Key }));
  await people.s3.send(new PutObjectCommand({ Bucket: 'elsewhere', Key: 'a', Body: 'a' }));
  expect(aws.environment.AWS_ACCESS_KEY_ID).toBe('local');
});

test('requests for secrets, executions and events are checked by their ARN', async () => {
  const { reader } = await startReader();
  await reader.secrets.send(new GetSecretValueCommand({ SecretId: 'secret' }));
  await expect(
    reader.secrets.send(new PutSecretValueCommand({ SecretId: 'secret', SecretString: 'x' })),
  ).rejects.toMatchObject({ name: 'AccessDeniedException' });
  const startOf = (stateMachineArn: string) => reader.states.send(new StartExecutionCommand({ stateMachineArn }));
  await expect(startOf(machine)).rejects.toMatchObject({ name: 'StateMachineDoesNotExist' });
  await expect(startOf(`${machine}-2`)).rejects.toMatchObject(deniedJson('states:StartExecution', `${machine}-2`));
  const executionArn = `${machine}:1`;
  await expect(reader.states.send(new DescribeExecutionCommand({ executionArn }))).rejects.toMatchObject(
    deniedJson('states:DescribeExecution', executionArn),
  );
  const redrive = (arn: string) => reader.states.send(new RedriveExecutionCommand({ executionArn: arn }));
  await expect(redrive(`${executions}:1`)).rejects.toMatchObject({ name: 'ExecutionDoesNotExist' });
  await expect(redrive(`${executions}-2:1`)).rejects.toMatchObject({ name: 'AccessDeniedException' });
  const token = new SendTaskSuccessCommand({ taskToken: 'none', output: '{}' });
  await expect(reader.states.send(token)).rejects.toMatchObject({ name: 'InvalidToken' });
  const publish = (...sources: string[]) => {
    const Entries = sources.map((Source) => ({ Source, DetailType: 'd', Detail: '{}' }));
    return reader.events.send(new PutEventsCommand({ Entries }));
  };
  expect(await publish('ours')).toMatchObject({ FailedEntryCount: 0 });
  expect(await publish('ours', 'ours')).toMatchObject({ FailedEntryCount: 0 });
  await expect(publish('ours', 'aws.s3')).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

test.each([
  ['the effect Audit', [{ ...allow('s3:*', '*'), Effect: 'Audit' }], {}],
  ['this action needs another resource type', [allow('states:RedriveExecution', machine)], {}],
  ['NotAction', [{ Effect: 'Allow', NotAction: 's3:*', Resource: '*' }], {}],
  [
    'use ForAllValues:StringEquals',
    [allow('s3:*', '*', { Condition: { StringEquals: { 'events:source': 'a' } } })],
    {},
  ],
  ['only StringEquals', [allow('s3:*', '*', { Condition: { StringLike: { 'events:source': '*' } } })], {}],
  ['a condition on s3:prefix', [allow('s3:*', '*', { Condition: { StringEquals: { 's3:prefix': 'a' } } })], {}],
  ['neither a string', [allow('s3:*', { Unknown: 1 })], {}],
  ['the managed policy', [], { ManagedPolicyArns: ['arn:aws:iam::aws:policy/AdministratorAccess'] }],
])('the start fails if the role of a function uses something unsupported: %s', async (problem, policy, role) => {
  await expect(startReader(policy, role)).rejects.toThrow(problem);
});

test('the start fails if everybody may invoke a function', async () => {
  const Properties = { FunctionName: { Ref: 'Function' }, Principal: '*', Action: 'lambda:InvokeFunction' };
  const Resources = { ...resources([]), Permission: { Type: 'AWS::Lambda::Permission', Properties } };
  const start = startHandmade({ Stack: { Resources } }, { code: 'export const reader = 1;' });
  await expect(start).rejects.toThrow('lets everybody invoke the function');
});

test('reading a version of an object needs a separate permission', async () => {
  const { reader, people } = await startReader();
  const write = async (name: string) =>
    (await people.s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: name, Body: 'x' }))).VersionId;
  const [pinned, current] = [await write('pinned/a'), await write('orders/a/order.json')];
  const get = (name: string, VersionId?: string) =>
    reader.s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: name, VersionId }));
  await get('pinned/a', pinned);
  await expect(get('pinned/a')).rejects.toMatchObject(deniedS3('s3:GetObject', 'arn:aws:s3:::bucket/pinned/a'));
  await expect(get('orders/a/order.json', current)).rejects.toMatchObject(
    deniedS3('s3:GetObjectVersion', 'arn:aws:s3:::bucket/orders/a/order.json'),
  );
});

test('a multipart upload needs the permission to write, and aborting it needs a separate permission', async () => {
  const { reader } = await startReader();
  const upload = { Bucket: 'bucket', Key: 'parts/1' };
  const { UploadId } = await reader.s3.send(new CreateMultipartUploadCommand(upload));
  await expect(reader.s3.send(new AbortMultipartUploadCommand({ ...upload, UploadId }))).rejects.toMatchObject(
    deniedS3('s3:AbortMultipartUpload', 'arn:aws:s3:::bucket/parts/1'),
  );
  const other = new CreateMultipartUploadCommand({ ...upload, Key: 'parts/12' });
  await expect(reader.s3.send(other)).rejects.toMatchObject(deniedS3('s3:PutObject', 'arn:aws:s3:::bucket/parts/12'));
});

const KEY = 'arn:aws:kms:us-east-1:000000000000:key/data';
const via = (service: string) => ({
  Condition: { StringEquals: { 'kms:ViaService': [`${service}.us-east-1.amazonaws.com`] } },
});

function encrypted() {
  const { Bucket, Table, Secret } = resources([]);
  const ByDefault = { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY } };
  const withProperties = (resource: { Properties: object }, more: object) => ({
    ...resource,
    Properties: { ...resource.Properties, ...more },
  });
  return {
    Bucket: withProperties(Bucket, { BucketEncryption: { ServerSideEncryptionConfiguration: [ByDefault] } }),
    Table: withProperties(Table, { SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY } }),
    Secret: withProperties(Secret, { KmsKeyId: KEY }),
  };
}

async function start(...keyRights: object[]) {
  const everything = allow(['s3:*', 'dynamodb:*', 'secretsmanager:*'], '*');
  const Policy = managed('p', [everything, ...keyRights]);
  const { aws } = await startHandmade({ Stack: { Resources: { ...encrypted(), Policy } } });
  await new S3Client(aws.clientSettings).send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: 'a' }));
  const settings = aws.addPerson('anna', 'arn:aws:iam::000000000000:policy/p');
  const [s3, dynamodb] = [new S3Client(settings), new DynamoDBClient(settings)];
  const secrets = new SecretsManagerClient(settings);
  return {
    read: () => s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a' })),
    write: () => s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'b', Body: 'b' })),
    item: () => dynamodb.send(new GetItemCommand({ TableName: 'table', Key })),
    secret: () => secrets.send(new GetSecretValueCommand({ SecretId: 'secret' })),
  };
}

test('what is encrypted with a key can be used only with a right to the key', async () => {
  const without = await start();
  for (const [attempt, action] of [
    [without.read, 'kms:Decrypt'],
    [without.write, 'kms:GenerateDataKey'],
    [without.item, 'kms:Decrypt'],
    [without.secret, 'kms:Decrypt'],
  ] as const) {
    const message = expect.stringContaining(`perform: ${action} on resource: ${KEY}`);
    await expect(attempt()).rejects.toMatchObject({ name: expect.stringMatching(/^AccessDenied/), message });
  }
  const all = await start(allow(['kms:Decrypt', 'kms:GenerateDataKey'], KEY));
  for (const attempt of Object.values(all)) await attempt();
});

test('a right to the key through one service does not hold for another', async () => {
  const viaS3 = await start(allow(['kms:Decrypt', 'kms:GenerateDataKey'], KEY, via('s3')));
  await viaS3.read();
  await viaS3.write();
  await expect(viaS3.item()).rejects.toMatchObject({ name: 'AccessDeniedException' });
  await expect(viaS3.secret()).rejects.toMatchObject({ name: 'AccessDeniedException' });
});

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

/** The client settings of a person with this policy. */
async function personWith(policy: string) {
  const Resources = { ...resources([allow('s3:GetObject', '*')]), ...policies };
  const { aws } = await startHandmade({ Stack: { Resources } }, { code: CODE });
  return aws.addPerson('anna', `arn:aws:iam::000000000000:policy/${policy}`);
}

test('the right to one item of a table is checked by its partition key, in a batch for each item', async () => {
  const dynamodb = new DynamoDBClient(await personWith('one-item'));
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
  const dynamodb = new DynamoDBClient(await personWith('columns'));
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
  const client = new CloudFormationClient(await personWith('looker'));
  expect((await client.send(new DescribeStacksCommand({ StackName: 'Stack' }))).Stacks).toHaveLength(1);
  const refused = { name: 'AccessDenied' };
  await expect(client.send(new DescribeStacksCommand({ StackName: 'Other' }))).rejects.toMatchObject(refused);
  await expect(client.send(new DescribeStacksCommand({}))).rejects.toMatchObject(refused);
});

test('a permission to describe a stack by its id is refused: on AWS it would not hold for the name of the stack', async () => {
  await expect(personWith('blind')).rejects.toThrow(
    /allows cloudformation:DescribeStacks on "arn:.*:stack\/Stack\/local", but this action needs another resource type\.$/,
  );
});
