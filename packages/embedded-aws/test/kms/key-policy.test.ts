import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import type { Change } from '../../index.ts';
import { queuePolicy, received, startHandmade } from '../cloudformation/handmade-assembly.ts';

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
/** EventBridge, "Amazon EventBridge targets": the section that the policy of a key of a queue must have. */
const EVENT_BRIDGE = {
  Effect: 'Allow',
  Principal: { Service: 'events.amazonaws.com' },
  Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
  Resource: '*',
};
const ofAccount = { Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } };

/** A rule that sends to an encrypted queue, with an encrypted queue for dead letters, and to an encrypted topic. */
async function deliver(...Statement: object[]) {
  const encrypted = { Type: 'AWS::SQS::Queue', Properties: { KmsMasterKeyId: arnOf('Key') } };
  const targets = [{ Id: 'q', Arn: arnOf('Queue'), DeadLetterConfig: { Arn: arnOf('Letters') } }];
  const Resources = {
    Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement } } },
    Queue: { ...encrypted, Properties: { ...encrypted.Properties, QueueName: 'queue' } },
    Letters: { ...encrypted, Properties: { ...encrypted.Properties, QueueName: 'letters' } },
    Policy: queuePolicy('Queue', 'Letters'),
    Topic: { Type: 'AWS::SNS::Topic', Properties: { KmsMasterKeyId: arnOf('Key') } },
    TopicPolicy: {
      Type: 'AWS::SNS::TopicPolicy',
      Properties: {
        Topics: [{ Ref: 'Topic' }],
        PolicyDocument: { Statement: { ...EVENT_BRIDGE, Action: 'sns:Publish' } },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: { EventPattern: { source: ['ours'] }, Targets: [...targets, { Id: 't', Arn: { Ref: 'Topic' } }] },
    },
  };
  const { aws } = await startHandmade({ Stack: { Resources } });
  const changes: Change[] = [];
  aws.watch((change) => changes.push(change));
  const Entries = [{ Source: 'ours', DetailType: 'd', Detail: '{}' }];
  await new EventBridgeClient(aws.clientSettings).send(new PutEventsCommand({ Entries }));
  await aws.settle();
  const lengths = ['queue', 'letters'].map(async (name) => (await received(aws, name)).length);
  return { queued: await Promise.all(lengths), published: changes.filter(({ type }) => type === 'message').length };
}

test('EventBridge sends to what is encrypted with a key whose policy has its statement', async () => {
  expect(await deliver(EVENT_BRIDGE)).toEqual({ queued: [1, 0], published: 1 });
});

test.each([
  ['without the statement', []],
  ['with a condition on the account', [{ ...EVENT_BRIDGE, ...ofAccount }]],
  ['without one of the two actions', [{ ...EVENT_BRIDGE, Action: 'kms:Decrypt' }]],
])('%s, it sends neither the event nor the dead letter', async (_title, statements) => {
  expect(await deliver(...statements)).toEqual({ queued: [0, 0], published: 0 });
});
