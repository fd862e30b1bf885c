import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  DescribeExecutionCommand,
  ListExecutionsCommand,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  SFNClient,
} from '@aws-sdk/client-sfn';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalAws, startLocalAws, VirtualClock } from '../index.ts';
import { invokeFunction } from './cloudformation/handmade-assembly.ts';
import { type FixtureAssembly, STACK, synthesizeFixture } from './fixture-app.ts';

const START = Date.parse('2030-01-01T00:00:00Z');
const DAY = 86_400;

let assembly: FixtureAssembly;
let aws: LocalAws;
let clock: VirtualClock;
let s3: S3Client;
let dynamoDb: DynamoDBClient;
let stepFunctions: SFNClient;

beforeAll(() => {
  assembly = synthesizeFixture();
});

afterAll(() => assembly.remove());

beforeEach(async () => {
  clock = new VirtualClock(START);
  aws = await startLocalAws({ assemblyDirectory: assembly.directory, clock });
  const config = aws.clientSettings;
  [s3, dynamoDb, stepFunctions] = [new S3Client(config), new DynamoDBClient(config), new SFNClient(config)];
});

afterEach(async () => {
  for (const client of [s3, dynamoDb, stepFunctions]) client.destroy();
  await aws.close();
});

function output(name: string): string {
  return aws.outputs[STACK]?.[`${name}Output`] ?? '';
}

async function upload(key: string, order: object): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket: output('Bucket'), Key: key, Body: JSON.stringify(order) }));
}

async function executions() {
  const list = new ListExecutionsCommand({ stateMachineArn: output('StateMachine') });
  return (await stepFunctions.send(list)).executions ?? [];
}

async function outcome() {
  const [{ executionArn } = { executionArn: '' }] = await executions();
  return stepFunctions.send(new DescribeExecutionCommand({ executionArn }));
}

/** The task token that the function `ask` stored in the table. */
async function taskToken(name: string): Promise<string> {
  const { Item } = await dynamoDb.send(new GetItemCommand({ TableName: output('Table'), Key: { id: { S: name } } }));
  return Item?.token?.S ?? '';
}

/** Lets time pass until the function `ask` has stored a task token. Returns the token. */
async function untilAsked(name: string): Promise<string> {
  await aws.runUntil(async () => (await taskToken(name)) !== '');
  return taskToken(name);
}

async function deadLetters(): Promise<object[]> {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
  const body = JSON.stringify({ QueueUrl: output('Queue'), MaxNumberOfMessages: 10 });
  const answer = await fetch(aws.endpoint, { method: 'POST', headers, body });
  const { Messages = [] } = (await answer.json()) as { Messages?: { Body: string }[] };
  return Messages.map(({ Body }) => JSON.parse(Body));
}

const order = { name: 'a-1', waitSeconds: 40 * DAY, numbers: [1, 2, 3] };

describe('a synthesized stack on the embedded AWS', () => {
  it('runs from an upload to its end, through forty days, retries and a callback', async () => {
    await upload('orders/a/order.json', order);
    const token = await untilAsked('a-1');
    // The wait takes forty days, and two retries take one and two hours.
    expect(clock.now()).toBe(START + (40 * DAY + 3 * 3600) * 1000);
    await stepFunctions.send(new SendTaskSuccessCommand({ taskToken: token, output: '{"agreed":true}' }));
    await aws.settle();
    const { status, output: result, name } = await outcome();
    expect([status, name]).toEqual(['SUCCEEDED', 'a-1']);
    expect(JSON.parse(result ?? '')).toEqual({
      ...order,
      doubled: [2, 4, 6].map((doubled) => ({ doubled, from: 'a-1' })),
      flaky: { calls: 3 },
      answer: { agreed: true },
    });
    expect(aws.logs().map(({ functionName, line }) => [functionName, line])).toEqual([
      ['fixture-intake', 'intake of orders/a/order.json'],
    ]);
  });

  it('ends in Fail after a Choice, with the cause from the data and a message in the queue', async () => {
    await upload('orders/a/order.json', order);
    const token = await untilAsked('a-1');
    const answer = JSON.stringify({ agreed: false, reason: 'Too dear.' });
    await stepFunctions.send(new SendTaskSuccessCommand({ taskToken: token, output: answer }));
    await aws.settle();
    expect(await outcome()).toMatchObject({ status: 'FAILED', error: 'Refused', cause: 'Too dear.' });
    expect(await deadLetters()).toMatchObject([
      { source: 'aws.states', detail: { status: 'FAILED', error: 'Refused' } },
    ]);
  });

  it('fails when the callback reports a failure, and when no callback arrives in time', async () => {
    await upload('orders/a/order.json', order);
    const refusal = { taskToken: await untilAsked('a-1'), error: 'Broken', cause: 'pen' };
    await stepFunctions.send(new SendTaskFailureCommand(refusal));
    await aws.settle();
    expect(await outcome()).toMatchObject({ status: 'FAILED', error: 'Broken', cause: 'pen' });
    await upload('orders/b/order.json', { ...order, name: 'b-1' });
    await aws.runUntil(async () => (await outcome()).status === 'FAILED' && (await executions()).length === 2);
    expect(await outcome()).toMatchObject({ name: 'b-1', error: 'TooLate', cause: 'Nobody answered.' });
  });

  it('catches the error of a Map iteration', async () => {
    await upload('orders/a/order.json', { ...order, numbers: [1, -2, 3] });
    await aws.runUntil(async () => (await outcome()).status !== 'RUNNING');
    const { error, cause } = await outcome();
    expect([error, JSON.parse(cause ?? '').errorMessage]).toEqual(['NegativeNumber', '-2 is negative']);
  });

  it('starts nothing for keys and buckets that match no rule', async () => {
    await upload('orders/a/other.json', order);
    const plain = { Bucket: output('Plain'), Key: 'orders/a/order.json', Body: JSON.stringify(order) };
    await s3.send(new PutObjectCommand(plain));
    await aws.settle();
    expect(await executions()).toEqual([]);
  });

  it('retries the event of a broken upload by the virtual clock, and starts nothing', async () => {
    await s3.send(new PutObjectCommand({ Bucket: output('Bucket'), Key: 'orders/a/order.json', Body: 'no JSON' }));
    const seconds: number[] = [];
    await aws.runUntil(() => {
      seconds.push((clock.now() - START) / 1000);
      return clock.nextTimerAt() === undefined;
    });
    expect(seconds).toEqual([0, 60, 180]);
    expect(await executions()).toEqual([]);
  });

  it('sends an event whose function always fails to the on-failure destination', async () => {
    await invokeFunction(aws.endpoint, 'fixture-alwaysFail', { order: 1 }, 'Event');
    await aws.runUntil(() => clock.nextTimerAt() === undefined);
    expect(await deadLetters()).toMatchObject([
      {
        requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 2 },
        requestPayload: { order: 1 },
        responsePayload: { errorType: 'TypeError', errorMessage: 'It never works' },
      },
    ]);
  });

  it('serves a generated secret and then its new value', async () => {
    const secrets = new SecretsManagerClient(aws.clientSettings);
    const SecretId = output('Secret');
    const { result } = await invokeFunction(aws.endpoint, 'fixture-readSecret', {});
    expect(result.secret).toEqual({ client_id: 'me', client_secret: expect.stringMatching(/^.{20}$/) });
    await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: '{"client_id":"new"}' }));
    expect((await invokeFunction(aws.endpoint, 'fixture-readSecret', {})).result.secret).toEqual({ client_id: 'new' });
    const previous = await secrets.send(new GetSecretValueCommand({ SecretId, VersionStage: 'AWSPREVIOUS' }));
    expect(JSON.parse(previous.SecretString ?? '')).toEqual(result.secret);
    secrets.destroy();
  });

  it('serves the index of a table', async () => {
    await upload('orders/a/order.json', order);
    await untilAsked('a-1');
    const { Items } = await dynamoDb.send(
      new QueryCommand({
        TableName: output('Table'),
        IndexName: 'byKind',
        KeyConditionExpression: 'kind = :kind',
        ExpressionAttributeValues: { ':kind': { S: 'question' } },
      }),
    );
    expect(Items?.map(({ id }) => id?.S)).toEqual(['a-1']);
  });
});
