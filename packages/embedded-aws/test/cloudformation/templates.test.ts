// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are CloudFormation's

import { rmSync } from 'node:fs';
import { CloudFormationClient, ListExportsCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { type References, resolve } from '../../cloudformation/intrinsics.ts';
import type { Json } from '../../protocol/operation.ts';
import {
  invokeFunction,
  lambdaResource,
  queuePolicy,
  received,
  startHandmade,
  type Template,
  table,
  writeAssembly,
} from './handmade-assembly.ts';

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
  const message = expect.stringContaining('operation ListExports of cloudformation');
  await expect(client.send(new ListExportsCommand({}))).rejects.toMatchObject({ name: 'InvalidAction', message });
  await expect(s3.send(new ListBucketsCommand({}))).rejects.toThrow('does not implement GET /');
  const byFolder = new ListObjectsV2Command({ Bucket: 'bucket', Delimiter: '/' });
  await expect(s3.send(byFolder)).rejects.toThrow('does not implement a delimiter');
  const body = new URLSearchParams({ Action: 'Publish', Version: '2010-03-31' });
  const answer = await fetch(aws.endpoint, { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toMatch(/<Code>InvalidAction<\/Code><Message>[^<]*Publish/);
});

const answers = (release: string) => `export const answer = async (_event, { functionVersion, invokedFunctionArn }) =>
  ({ release: '${release}', size: process.env.SIZE, functionVersion, invokedFunctionArn, env: process.env.AWS_LAMBDA_FUNCTION_VERSION });`;
const ASSETS = { one: answers('one'), two: answers('two'), other: 'export const extra = async () => "extra";' };
const MACHINE_ARN = 'arn:aws:states:us-east-1:000000000000:stateMachine:machine';

const version = (of: string) => ({ Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: of } } });
const variables = (SIZE: string) => ({ Environment: { Variables: { SIZE } } });

/** The machine waits, and then answers with the version of the function that its definition names. */
function template(code: string, size: string, versionId: string, more: Record<string, object> = {}): Template {
  const definition = {
    StartAt: `Wait for ${code}`,
    States: {
      [`Wait for ${code}`]: { Type: 'Wait', Seconds: 60, Next: 'Ask' },
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: { FunctionName: `\${Version}` },
        End: true,
      },
    },
  };
  return {
    Resources: {
      Answer: lambdaResource(code, 'answer', variables(size)),
      [versionId]: version('Answer'),
      Machine: {
        Type: 'AWS::StepFunctions::StateMachine',
        Properties: {
          StateMachineName: 'machine',
          DefinitionString: JSON.stringify(definition),
          DefinitionSubstitutions: { Version: { Ref: versionId } },
          RoleArn: 'arn:aws:iam::000000000000:role/machine',
        },
      },
      Table: table('table'),
      ...more,
    },
    Outputs: { Code: { Value: code } },
  };
}

async function start(first: Template) {
  const started = await startHandmade({ Stack: first }, ASSETS);
  const { aws } = started;
  const deploy = (next: Template) => {
    const directory = writeAssembly({ Stack: next }, ASSETS);
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return aws.deploy(directory);
  };
  const sfn = new SFNClient(aws.clientSettings);
  const execute = (name: string) => sfn.send(new StartExecutionCommand({ stateMachineArn: MACHINE_ARN, name }));
  const result = async (name: string) => {
    const executionArn = MACHINE_ARN.replace('stateMachine', 'execution');
    const { output, status } = await sfn.send(
      new DescribeExecutionCommand({ executionArn: `${executionArn}:${name}` }),
    );
    return status === 'SUCCEEDED' ? JSON.parse(output ?? '') : status;
  };
  const invoke = async (name: string) => (await invokeFunction(aws.endpoint, name, {})).result;
  return { ...started, deploy, sfn, execute, result, invoke };
}

const ONE = template('one', 'small', 'VersionA');
const TWO = template('two', 'large', 'VersionB');

describe('an update of a stack', () => {
  it('changes, disables and removes rules', async () => {
    const rule = (status: string, State = 'ENABLED') => ({
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['aws.states'], detail: { status: [status] } },
        Targets: [{ Id: 'queue', Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
        State,
      },
    });
    const Queue = { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'queue' } };
    const more = { Queue, QueuePolicy: queuePolicy('Queue') };
    const withRule = (Rule?: object) => template('one', 'small', 'VersionA', { ...more, ...(Rule && { Rule }) });
    const { aws, deploy, execute } = await start(withRule(rule('FAILED')));
    const told: string[][] = [];
    const changes = [rule('RUNNING'), rule('RUNNING', 'DISABLED'), rule('RUNNING'), undefined];
    for (const [index, changed] of [rule('FAILED'), ...changes].entries()) {
      await deploy(withRule(changed));
      await execute(`${index}`);
      told.push((await received(aws, 'queue')).map(({ detail }) => detail.name));
    }
    expect(told).toEqual([[], ['1'], [], ['3'], []]);
  });

  it('removes a function with its versions, whose numbers are not used again', async () => {
    const extra = { Extra: lambdaResource('other', 'extra'), ExtraVersion: version('Extra') };
    const withExtra = template('one', 'small', 'VersionA', extra);
    const { deploy, invoke } = await start(withExtra);
    expect(await invoke('extra:1')).toBe('extra');
    await deploy(TWO);
    expect(await invoke('extra:1')).toMatchObject({ message: 'Function not found: extra:1' });
    expect(await invoke('extra')).toMatchObject({ message: 'Function not found: extra' });
    await deploy(withExtra);
    expect(await invoke('extra:1')).toMatchObject({ message: 'Function not found: extra:1' });
    expect(await invoke('extra:2')).toBe('extra');
  });

  it('refuses to change or remove data', async () => {
    const { deploy } = await start(ONE);
    const { Table, ...others } = ONE.Resources;
    await expect(deploy({ Resources: others })).rejects.toThrow('an update removes Table (AWS::DynamoDB::Table)');
    const renamed = { ...Table, Properties: { TableName: 'other' } };
    await expect(deploy({ Resources: { ...others, Table: renamed } })).rejects.toThrow('an update changes Table');
  });

  it('leaves a resource that its deletion policy keeps', async () => {
    const { Table, ...others } = ONE.Resources;
    const { deploy, aws } = await start({ Resources: { ...others, Table: { ...Table, DeletionPolicy: 'Retain' } } });
    await deploy({ Resources: others });
    const dynamodb = new DynamoDBClient(aws.clientSettings);
    expect(await dynamodb.send(new ScanCommand({ TableName: 'table' }))).toMatchObject({ Items: [] });
  });
});
