import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import {
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queuePolicy } from '../cloudformation/handmade-assembly.ts';
import { attribute, queueArn, queueUrl, startQueue } from './queue-fixture.ts';

const receive = async (sqs: SQSClient, name: string) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl(name), MaxNumberOfMessages: 10 }))).Messages ?? [];

/** A queue whose message `poison` has become a dead letter. */
async function startWithLetter() {
  const started = await startQueue();
  const { aws, clock, sqs } = started;
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('work'), MessageBody: 'poison' }));
  await aws.runUntil(() => clock.nextTimerAt() === undefined);
  return started;
}

test('a message move task brings dead letters into the queue that it names, as new messages', async () => {
  const { aws, clock, sqs } = await startWithLetter();
  const { length } = aws.logs();
  const SourceArn = queueArn('letters');
  await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: queueArn('work') }));
  await aws.runUntil(() => clock.nextTimerAt() === undefined);
  expect(aws.logs()).toHaveLength(length + 3);
  const { Results } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
  expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
  expect(await receive(sqs, 'letters')).toHaveLength(1);
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
])('the events of a rule %s', async (_title, Policy, received) => {
  const more = { bucket, Rule: rule, LettersPolicy: queuePolicy('Letters'), ...(Policy && { Policy }) };
  const { aws, sqs } = await startQueue({ handler: 'echo', more });
  const s3 = new S3Client(aws.clientSettings);
  await s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'a', Body: 'x' }));
  await aws.settle();
  expect(aws.logs().filter(({ functionName }) => functionName === 'echo')).toHaveLength(received);
  expect(await receive(sqs, 'letters')).toHaveLength(1 - received);
});
