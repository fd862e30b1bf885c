// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's
import { describe, expect, it } from 'vitest';
import { type References, resolve } from '../../cloudformation/intrinsics.ts';
import type { Json } from '../../protocol/operation.ts';
import { startHandmade } from '../cloudformation/handmade-assembly.ts';

const references: References = {
  ref: (name) => `ref:${name}`,
  attribute: (logicalId, attribute) => `${logicalId}.${attribute}`,
  condition: (name) => name === 'Yes',
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
    [{ 'Fn::If': ['Yes', { Ref: 'A' }, { 'Fn::Unknown': 1 }] }, 'ref:A'],
    [{ 'Fn::If': ['No', 1, [2]] }, [2]],
    [{ 'Fn::Equals': [{ Ref: 'A' }, 'ref:A'] }, true],
    [{ 'Fn::And': [{ Condition: 'Yes' }, { 'Fn::Not': [{ Condition: 'No' }] }] }, true],
    [{ 'Fn::Or': [{ Condition: 'No' }, { 'Fn::Equals': [1, 2] }] }, false],
    [{ Condition: { Bool: { x: 'y' } } }, { Condition: { Bool: { x: 'y' } } }],
    [
      { kept: 1, gone: { Ref: 'AWS::NoValue' }, list: [1, { 'Fn::If': ['No', 2, { Ref: 'AWS::NoValue' }] }] },
      { kept: 1, list: [1] },
    ],
  ])('%j gives %j', (value, expected) => {
    expect(resolve(value, references)).toEqual(expected);
  });

  it('names an unknown function in its error', () => {
    expect(() => resolve({ 'Fn::Cidr': ['10.0.0.0/8', 2, 8] }, references)).toThrow('Fn::Cidr is not supported');
  });
});

const queue = (properties: object = {}) => ({ Type: 'AWS::SQS::Queue', Properties: properties });

describe('a template', () => {
  it('resolves parameters, pseudo parameters, conditions and exports of another stack', async () => {
    const { aws } = await startHandmade({
      One: {
        Resources: { Queue: queue({ QueueName: { 'Fn::Sub': '${AWS::StackName}-${Stage}-${AWS::Region}' } }) },
        Parameters: { Stage: { Type: 'String', Default: 'local' } },
        Outputs: { Arn: { Value: { 'Fn::GetAtt': ['Queue', 'Arn'] }, Export: { Name: 'queue-arn' } } },
      },
      Two: {
        Conditions: { IsProd: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] } },
        Resources: { Skipped: { Type: 'AWS::Nothing::Known', Condition: 'IsProd' } },
        Outputs: {
          Imported: { Value: { 'Fn::ImportValue': 'queue-arn' } },
          Skipped: { Condition: 'IsProd', Value: { 'Fn::GetAtt': ['Skipped', 'Arn'] } },
        },
      },
    });
    const arn = 'arn:aws:sqs:us-east-1:000000000000:One-local-us-east-1';
    expect(aws.outputs).toEqual({ One: { Arn: arn }, Two: { Imported: arn } });
  });

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
