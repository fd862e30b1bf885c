import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { queuePolicy, received } from '../cloudformation/handmade-assembly.ts';
import { attribute, startQueue } from './queue-fixture.ts';

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
