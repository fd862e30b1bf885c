import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import type { InvokeWrapper, LocalAws, LocalAwsOptions } from '../../index.ts';
import { lambdaResource, queuePolicy, received, START, startHandmade } from '../cloudformation/handmade-assembly.ts';

const attribute = (logicalId: string, name = 'Arn') => ({ 'Fn::GetAtt': [logicalId, name] });
const queueUrl = (name: string) => `http://127.0.0.1/000000000000/${name}`;

/** Reads a message's text. A text with "poison" fails, and a text with "crash" fails its whole batch. */
const CODE = `
export const work = async ({ Records }) => {
  const texts = Records.map(({ body }) => body);
  console.log(JSON.stringify(texts));
  if (texts.some((text) => text.includes('crash'))) throw new TypeError('crashed');
  const failed = Records.filter(({ body }) => body.includes('poison'));
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
};
export const echo = async (event) => { console.log(JSON.stringify(event)); };
export const nonsense = async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] });
`;

interface QueueFixture {
  handler?: string;
  queue?: object;
  mapping?: object;
  actions?: string[];
  more?: Record<string, object>;
  options?: Partial<LocalAwsOptions>;
}

/** A queue `work` with its dead-letter queue `letters`, and a function that an event source mapping feeds. */
async function startQueue(given: QueueFixture = {}) {
  const { handler = 'work', actions = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'] } = given;
  const Statement = [{ Effect: 'Allow', Action: actions, Resource: attribute('Queue') }];
  const Resources = {
    Letters: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'letters', MessageRetentionPeriod: 1_209_600 } },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        QueueName: 'work',
        VisibilityTimeout: 60,
        MessageRetentionPeriod: 1_209_600,
        RedrivePolicy: { deadLetterTargetArn: attribute('Letters'), maxReceiveCount: 3 },
        ...given.queue,
      },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: { RoleName: 'role' } },
    Rights: {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyName: 'rights', PolicyDocument: { Statement }, Roles: [{ Ref: 'Role' }] },
    },
    Function: lambdaResource('code', handler, { Role: attribute('Role') }),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: attribute('Queue'),
        FunctionName: { Ref: 'Function' },
        BatchSize: 5,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ...given.mapping,
      },
    },
    ...given.more,
  };
  const { aws, clock } = await startHandmade({ Stack: { Resources } }, { code: CODE }, given.options);
  return { aws, clock, sqs: new SQSClient(aws.clientSettings) };
}

const QueueUrl = queueUrl('work');
type Started = Awaited<ReturnType<typeof startQueue>>;

/** Sends the texts with a delay, so that they come in one batch. */
async function send({ aws, clock, sqs }: Started, ...texts: string[]): Promise<void> {
  for (const MessageBody of texts) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds: 1 }));
  clock.advanceTo(clock.now() + 1_000);
  await aws.settle();
}

const batches = (aws: LocalAws): string[][] => aws.logs().map(({ line }) => JSON.parse(line) as string[]);

async function countIn(sqs: SQSClient, name: string): Promise<number> {
  const asked = { QueueUrl: queueUrl(name), AttributeNames: ['All' as const] };
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked));
  const counts = Object.entries(Attributes).filter(([attribute]) => attribute.startsWith('ApproximateNumber'));
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test('of a batch with a poison message only that message comes again, until it is a dead letter', async () => {
  const started = await startQueue();
  const { aws, clock, sqs } = started;
  await send(started, 'good 1', 'poison', 'good 2');
  expect(await countIn(sqs, 'work')).toBe(1);
  await aws.runUntil(() => clock.nextTimerAt() === undefined);
  expect(batches(aws)).toEqual([['good 1', 'poison', 'good 2'], ['poison'], ['poison']]);
  expect((clock.now() - START) / 1000).toBe(181);
  expect([await countIn(sqs, 'work'), await countIn(sqs, 'letters')]).toEqual([0, 1]);
  const MessageSystemAttributeNames = ['All' as const];
  const asked = new ReceiveMessageCommand({ QueueUrl: queueUrl('letters'), MessageSystemAttributeNames });
  const { Messages: [letter] = [] } = await sqs.send(asked);
  expect(letter).toMatchObject({
    Body: 'poison',
    Attributes: { SentTimestamp: String(START), DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-1:000000000000:work' },
  });
});

test.each([
  ['whose function fails', { handler: 'work' }, 'crash'],
  ['whose answer names an unknown message', { handler: 'nonsense' }, 'good'],
])('a batch %s comes again as a whole', async (_title, given, text) => {
  const started = await startQueue(given);
  await send(started, text, 'good 2');
  expect(await countIn(started.sqs, 'work')).toBe(2);
});

test('no batch is larger than the mapping allows, and no more run at once than its maximum concurrency', async () => {
  let [running, most] = [0, 0];
  const wait = Promise.withResolvers<void>();
  const invokeWrapper: InvokeWrapper = async (_name, _event, invoke) => {
    running += 1;
    most = Math.max(most, running);
    if (running === 2) setTimeout(wait.resolve, 50);
    await wait.promise;
    const result = await invoke();
    running -= 1;
    return result;
  };
  const mapping = { BatchSize: 2, ScalingConfig: { MaximumConcurrency: 2 } };
  const started = await startQueue({ mapping, options: { invokeWrapper } });
  await send(started, ...Array.from({ length: 9 }, (_none, position) => `${position}`));
  expect(most).toBe(2);
  const sizes = batches(started.aws).map(({ length }) => length);
  expect(sizes.sort()).toEqual([1, 2, 2, 2, 2]);
});

test('a message that nobody receives is forgotten after the retention period', async () => {
  const { clock, sqs } = await startQueue();
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('letters'), MessageBody: 'old' }));
  clock.advanceTo(START + 14 * 86_400_000 - 1);
  expect(await countIn(sqs, 'letters')).toBe(1);
  clock.advanceTo(START + 14 * 86_400_000);
  expect(await countIn(sqs, 'letters')).toBe(0);
});

test.each([
  [
    'a visibility timeout shorter than the function may run',
    { queue: { VisibilityTimeout: 2 } },
    /visibility timeout/i,
  ],
  ['a role that may not receive messages', { actions: ['sqs:DeleteMessage'] }, /sqs:ReceiveMessage/],
])('a mapping with %s is refused, as on AWS', async (_title, given, reason) => {
  await expect(startQueue(given)).rejects.toThrow(reason);
});

const EventBridgeConfiguration = { EventBridgeEnabled: true };
const bucket = {
  Type: 'AWS::S3::Bucket',
  Properties: { BucketName: 'bucket', NotificationConfiguration: { EventBridgeConfiguration } },
};
const rule = {
  Type: 'AWS::Events::Rule',
  Properties: {
    Name: 'uploaded',
    EventPattern: { source: ['aws.s3'] },
    Targets: [{ Id: 'One', Arn: attribute('Queue'), DeadLetterConfig: { Arn: attribute('Letters') } }],
  },
};
/** Denies requests without TLS, and lets the rule of this name send. */
function policyFor(name: string) {
  const common = { Resource: attribute('Queue') };
  const Bool = { 'aws:SecureTransport': 'false' };
  const ArnEquals = { 'aws:SourceArn': `arn:aws:events:us-east-1:000000000000:rule/${name}` };
  const events = { Service: 'events.amazonaws.com' };
  const Statement = [
    { ...common, Effect: 'Deny', Principal: { AWS: '*' }, Action: 'sqs:*', Condition: { Bool } },
    { ...common, Effect: 'Allow', Principal: events, Action: 'sqs:SendMessage', Condition: { ArnEquals } },
  ];
  return { Type: 'AWS::SQS::QueuePolicy', Properties: { Queues: [{ Ref: 'Queue' }], PolicyDocument: { Statement } } };
}

test.each([
  ['reach a queue whose policy names the rule', policyFor('uploaded'), 1],
  ['do not reach a queue whose policy names another rule', policyFor('x'), 0],
  ['do not reach a queue without a policy', undefined, 0],
])('the events of a rule %s', async (_title, Policy, count) => {
  const more = { bucket, Rule: rule, LettersPolicy: queuePolicy('Letters'), ...(Policy && { Policy }) };
  const { aws } = await startQueue({ handler: 'echo', more });
  const s3 = new S3Client(aws.clientSettings);
  await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: 'x' }));
  await aws.settle();
  expect(aws.logs().filter(({ functionName }) => functionName === 'echo')).toHaveLength(count);
  expect(await received(aws, 'letters')).toHaveLength(1 - count);
});
