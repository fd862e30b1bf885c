import { rmSync } from 'node:fs';
import { DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, ListExecutionsCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it, onTestFinished } from 'vitest';
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

const answers = (release: string) => `export const answer = async (_event, { functionVersion, invokedFunctionArn }) =>
  ({ release: '${release}', size: process.env.SIZE, functionVersion, invokedFunctionArn, env: process.env.AWS_LAMBDA_FUNCTION_VERSION });`;
const ASSETS = { one: answers('one'), two: answers('two'), other: 'export const extra = async () => "extra";' };
const FUNCTION_ARN = 'arn:aws:lambda:us-east-1:000000000000:function:answer';
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

describe('a version of a function', () => {
  it('keeps its code and environment after an update of the function, and gets a new number on the way back', async () => {
    const { deploy, invoke } = await start(ONE);
    const first = {
      release: 'one',
      size: 'small',
      functionVersion: '1',
      env: '1',
      invokedFunctionArn: `${FUNCTION_ARN}:1`,
    };
    expect(await invoke(`${FUNCTION_ARN}:1`)).toEqual(first);
    await deploy(TWO);
    expect(await invoke(`${FUNCTION_ARN}:1`)).toEqual(first);
    expect(await invoke('answer:2')).toMatchObject({ release: 'two', size: 'large', functionVersion: '2' });
    expect(await invoke('answer')).toMatchObject({ release: 'two', size: 'large', functionVersion: '$LATEST' });
    expect(await invoke('answer:3')).toMatchObject({ message: 'Function not found: answer:3' });
    await deploy(ONE);
    expect(await invoke('answer:3')).toMatchObject({ release: 'one', functionVersion: '3' });
  });

  it('is not published again while the function is the same', async () => {
    const { deploy } = await start(ONE);
    await expect(deploy(template('one', 'small', 'VersionB'))).rejects.toThrow(
      'A version for this Lambda function exists',
    );
  });
});

describe('an update of a stack', () => {
  it('gives new executions the new definition, leaves running ones theirs, keeps data and renews the outputs', async () => {
    const { aws, deploy, execute, result, sfn } = await start(ONE);
    const dynamodb = new DynamoDBClient(aws.clientSettings);
    await dynamodb.send(new PutItemCommand({ TableName: 'table', Item: { id: { S: 'kept' } } }));
    await execute('before');
    await deploy(TWO);
    expect((await dynamodb.send(new ScanCommand({ TableName: 'table' }))).Items).toEqual([{ id: { S: 'kept' } }]);
    expect(aws.outputs.Stack).toEqual({ Code: 'two' });
    await execute('after');
    await aws.runUntil(async () => (await result('after')) !== 'RUNNING');
    expect((await result('before')).Payload).toMatchObject({ release: 'one', functionVersion: '1' });
    expect(await result('after')).toMatchObject({ ExecutedVersion: '2', Payload: { release: 'two' } });
    const { executions } = await sfn.send(new ListExecutionsCommand({ stateMachineArn: MACHINE_ARN }));
    expect(executions?.map(({ name }) => name)).toEqual(['after', 'before']);
  });

  it('changes, disables and removes rules', async () => {
    const rule = (status: string, State = 'ENABLED') => ({
      Type: 'AWS::Events::Rule',
      Properties: {
        EventPattern: { source: ['aws.states'], detail: { status: [status] } },
        Targets: [{ Id: 'queue', Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] }, InputPath: '$.detail.name' }],
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
      told.push(await received(aws, 'queue'));
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
