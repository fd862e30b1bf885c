import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queuePolicy } from '../cloudformation/handmade-assembly.ts';
import { attribute, queueUrl, startQueue } from './queue-fixture.ts';

const receive = async (sqs: SQSClient, name: string) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl(name), MaxNumberOfMessages: 10 }))).Messages ?? [];

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
