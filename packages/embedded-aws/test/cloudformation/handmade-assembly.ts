import { rmSync } from 'node:fs';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { onTestFinished } from 'vitest';
import { type LocalAws, type LocalAwsOptions, startLocalAws, VirtualClock } from '../../index.ts';
import { type Template, writeAssembly } from '../write-assembly.ts';

export const START = Date.parse('2030-01-01T00:00:00Z');

export { type Template, writeAssembly };

export function lambdaResource(hash: string, handler: string, more: object = {}): object {
  const Code = { S3Bucket: 'assets', S3Key: `${hash}.zip` };
  return {
    Type: 'AWS::Lambda::Function',
    Properties: { FunctionName: handler, Runtime: 'nodejs24.x', Handler: `index.${handler}`, Code, ...more },
  };
}

export function table(TableName: string, key = ['id']) {
  const AttributeDefinitions = key.map((AttributeName) => ({ AttributeName, AttributeType: 'S' }));
  const KeySchema = key.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' }));
  const Properties = { TableName, BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions, KeySchema };
  return { Type: 'AWS::DynamoDB::Table', Properties };
}

export const bucket = (BucketName: string) => ({
  Type: 'AWS::S3::Bucket',
  Properties: { BucketName, VersioningConfiguration: { Status: 'Enabled' } },
});

/** Lets EventBridge send to these queues, whatever the rule. */
export function queuePolicy(...logicalIds: string[]): object {
  const Statement = { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' };
  return {
    Type: 'AWS::SQS::QueuePolicy',
    Properties: {
      Queues: logicalIds.map((Ref) => ({ Ref })),
      PolicyDocument: { Statement: [{ ...Statement, Resource: '*' }] },
    },
  };
}

/** Starts such an assembly in virtual time. It is closed and removed when the test ends. */
export async function startHandmade(
  stacks: Record<string, Template>,
  assets: Record<string, string> = {},
  options: Partial<LocalAwsOptions> = {},
): Promise<{ aws: LocalAws; clock: VirtualClock; config: object }> {
  const clock = new VirtualClock(START);
  const assemblyDirectory = writeAssembly(stacks, assets);
  onTestFinished(() => rmSync(assemblyDirectory, { recursive: true, force: true }));
  const aws = await startLocalAws({ assemblyDirectory, clock, ...options });
  onTestFinished(() => aws.close());
  return { aws, clock, config: aws.clientSettings };
}

/** The JSON of the messages that have reached a queue and were not read before. */
export async function received(aws: LocalAws, queue: string) {
  await aws.settle();
  const asked = { QueueUrl: `http://127.0.0.1/${queue}`, MaxNumberOfMessages: 10, VisibilityTimeout: 43_200 };
  const { Messages = [] } = await new SQSClient(aws.clientSettings).send(new ReceiveMessageCommand(asked));
  return Messages.map(({ Body = '' }) => JSON.parse(Body));
}

/** Calls the Invoke operation of Lambda. `result` is the result of the function or its error. */
export async function invokeFunction(endpoint: string, name: string, event: unknown, type = 'RequestResponse') {
  const answer = await fetch(`${endpoint}/2015-03-31/functions/${encodeURIComponent(name)}/invocations`, {
    method: 'POST',
    headers: { 'x-amz-invocation-type': type },
    body: JSON.stringify(event),
  });
  const text = await answer.text();
  const error = answer.headers.get('x-amz-function-error');
  return { status: answer.status, error, result: text === '' ? undefined : JSON.parse(text) };
}
