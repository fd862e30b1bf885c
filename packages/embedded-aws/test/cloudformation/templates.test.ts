// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
import { CloudFormationClient, ListExportsCommand } from '@aws-sdk/client-cloudformation';
import { ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it, test } from 'vitest';
import { type References, resolve } from '../../cloudformation/intrinsics.ts';
import type { Json } from '../../protocol/operation.ts';
import { startHandmade } from './handmade-assembly.ts';

const references: References = {
  ref: (name) => `ref:${name}`,
  attribute: (logicalId, attribute) => `${logicalId}.${attribute}`,
  importValue: (name) => `imported:${name}`,
};

describe('resolve', () => {
  it.each<[Json, Json]>([
    [{ Ref: 'Bucket' }, 'ref:Bucket'],
    [{ 'Fn::GetAtt': ['Table', 'Stream.Arn'] }, 'Table.Stream.Arn'],
    [{ 'Fn::GetAtt': 'Table.Arn' }, 'Table.Arn'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'B' }, 1]] }, 'a-ref:B-1'],
    [{ 'Fn::Join': [',', { 'Fn::Split': ['/', 'a/b'] }] }, 'a,b'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', { Ref: 'X' }] }] }, 'X'],
    [{ 'Fn::Sub': 'x${A}y${B.Arn}${!C}' }, 'xref:AyB.Arn${C}'],
    [{ 'Fn::Sub': ['${V} ${W}', { V: { Ref: 'A' } }] }, 'ref:A ref:W'],
    [{ 'Fn::ImportValue': { 'Fn::Sub': '${S}-x' } }, 'imported:ref:S-x'],
    [{ 'Fn::Equals': [{ Ref: 'A' }, 'ref:A'] }, true],
    [{ 'Fn::Or': [{ 'Fn::Equals': [2, 1] }, { 'Fn::Equals': [1, 2] }] }, false],
  ])('%j gives %j', (value, expected) => {
    expect(resolve(value, references)).toEqual(expected);
  });

  it('names an unknown function in its error', () => {
    expect(() => resolve({ 'Fn::Cidr': ['10.0.0.0/8', 2, 8] }, references)).toThrow('Fn::Cidr is not supported');
  });
});

const queue = (properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });

describe('a template', () => {
  it.each<[string, Record<string, object>, string]>([
    ['an unknown type', { Stream: { Type: 'AWS::Kinesis::Stream' } }, 'Stream (AWS::Kinesis::Stream) is of a type'],
    [
      'an unplayed property',
      { Queue: queue({ FifoQueue: true }) },
      'Queue (AWS::SQS::Queue) has the property FifoQueue',
    ],
    ['a missing resource', { Queue: queue({ QueueName: { Ref: 'Gone' } }) }, 'no resource Gone'],
    [
      'an unknown attribute',
      { Queue: queue(), Other: queue({ QueueName: { 'Fn::GetAtt': ['Queue', 'Color'] } }) },
      'Color of Queue',
    ],
    [
      'a circle',
      { A: queue({ QueueName: { Ref: 'B' } }), B: queue({ QueueName: { Ref: 'A' } }) },
      'A -> B -> A is a circular dependency',
    ],
    ['a dynamic reference', { Queue: queue({ QueueName: '{{resolve:ssm:x}}' }) }, '{{resolve:ssm:x}}'],
    [
      'notifications past EventBridge',
      { Bucket: { Type: 'AWS::S3::Bucket', Properties: { NotificationConfiguration: { LambdaConfigurations: [] } } } },
      'LambdaConfigurations',
    ],
    [
      'a scheduled rule',
      { Rule: { Type: 'AWS::Events::Rule', Properties: { ScheduleExpression: 'rate(1 day)' } } },
      'ScheduleExpression',
    ],
  ])('refuses %s by name', async (_name, Resources, message) => {
    await expect(startHandmade({ Stack: { Resources } })).rejects.toThrow(message);
  });
});

const Bucket = { Type: 'AWS::S3::Bucket', Properties: { BucketName: 'bucket' } };

test('a request for an unsupported operation, parameter or service is refused with its name', async () => {
  const { aws, config } = await startHandmade({ Stack: { Resources: { Bucket } } });
  const [client, s3] = [new CloudFormationClient(config), new S3Client(config)];
  await expect(client.send(new ListExportsCommand({}))).rejects.toMatchObject({
    name: 'InvalidAction',
    message: expect.stringContaining('operation ListExports of cloudformation'),
  });
  await expect(s3.send(new ListBucketsCommand({}))).rejects.toThrow('does not implement GET /');
  const byFolder = new ListObjectsV2Command({ Bucket: 'bucket', Delimiter: '/' });
  await expect(s3.send(byFolder)).rejects.toThrow('does not implement a delimiter');
  const body = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
  const answer = await fetch(aws.endpoint, { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/<Code>InvalidAction<\/Code><Message>[^<]*Publish/);
});
