import { SQSClient } from '@aws-sdk/client-sqs';
import type { LocalAwsOptions } from '../../index.ts';
import { lambdaResource, startHandmade } from '../cloudformation/handmade-assembly.ts';

export const attribute = (logicalId: string, name = 'Arn') => ({ 'Fn::GetAtt': [logicalId, name] });
export const queueUrl = (name: string) => `http://127.0.0.1/000000000000/${name}`;

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
export async function startQueue(given: QueueFixture = {}) {
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
