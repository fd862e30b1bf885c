import { describe, expect, it } from 'vitest';
import { startMachine, stateMachineArn } from './state-machine-fixture.ts';

const table = {
  Type: 'AWS::DynamoDB::Table',
  Properties: {
    TableName: 'table',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  },
};

const rule = {
  Type: 'AWS::Events::Rule',
  Properties: {
    EventPattern: { source: ['me', 'aws.states'], 'detail-type': [{ 'anything-but': 'Ignored' }] },
    Targets: [{ Id: 'T', Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
  },
};

const task = (resource: string, Parameters: object, more: object = {}) => ({
  Type: 'Task',
  Resource: `arn:aws:states:::${resource}`,
  Parameters,
  End: true,
  ...more,
});

async function startWith(State: object, resources: Record<string, object> = { Table: table }) {
  const machine = await startMachine({ Do: State }, { resources });
  const received = async () => {
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' };
    const body = JSON.stringify({ QueueUrl: 'http://127.0.0.1/queue', MaxNumberOfMessages: 10 });
    const answer = await fetch(machine.aws.endpoint, { method: 'POST', headers, body });
    const { Messages = [] } = (await answer.json()) as { Messages?: { Body: string }[] };
    return Messages.map(({ Body }) => JSON.parse(Body));
  };
  return { ...machine, received };
}

describe('an integration of Step Functions', () => {
  it('updates an item of a table under a condition', async () => {
    const Parameters = {
      TableName: 'table',
      Key: { id: { 'S.$': '$.id' } },
      UpdateExpression: 'SET seen = :seen',
      ConditionExpression: 'attribute_not_exists(seen)',
      ExpressionAttributeValues: { ':seen': { BOOL: true } },
      ReturnValues: 'ALL_NEW',
    };
    const { start, finish } = await startWith(task('dynamodb:updateItem', Parameters));
    const { output } = await finish(await start({ id: 'a' }));
    expect(JSON.parse(output ?? '')).toEqual({ Attributes: { id: { S: 'a' }, seen: { BOOL: true } } });
    const second = await finish(await start({ id: 'a' }));
    expect(second).toMatchObject({ status: 'FAILED', error: 'DynamoDB.ConditionalCheckFailedException' });
  });

  it('starts another execution', async () => {
    const Parameters = {
      StateMachineArn: stateMachineArn,
      'Name.$': '$.next',
      Input: { next: 'never', 'last.$': '$.next' },
    };
    const { start, finish, describe: look } = await startWith(task('states:startExecution', Parameters));
    const { output } = await finish(await start({ next: 'second' }, 'first'));
    const { ExecutionArn } = JSON.parse(output ?? '');
    expect(JSON.parse((await look(ExecutionArn)).input ?? '')).toEqual({ next: 'never', last: 'second' });
    const again = await finish(await start({ next: 'first' }, 'third'));
    expect(again).toMatchObject({ status: 'FAILED', error: 'StepFunctions.ExecutionAlreadyExistsException' });
  });

  it('sends a message', async () => {
    const Parameters = { QueueUrl: 'http://127.0.0.1/queue', MessageBody: { 'of.$': '$.order' } };
    const { start, finish, received } = await startWith(task('sqs:sendMessage', Parameters));
    expect((await finish(await start({ order: 'a' }))).status).toBe('SUCCEEDED');
    expect(await received()).toEqual([{ of: 'a' }]);
  });

  it('puts an event, which a rule sends to a queue like the status changes of the execution', async () => {
    const Entries = [
      { Source: 'me', DetailType: 'Done', Detail: { 'of.$': '$.order' } },
      { Source: 'me', DetailType: 'Ignored', Detail: {} },
    ];
    const { aws, start, finish, received } = await startWith(task('events:putEvents', { Entries }), { Rule: rule });
    const executionArn = await start({ order: 'a' }, 'mine');
    await finish(executionArn);
    await aws.settle();
    const [running, done, succeeded, ...others] = await received();
    expect(done).toMatchObject({ source: 'me', 'detail-type': 'Done', detail: { of: 'a' }, account: '000000000000' });
    expect(running.detail).toMatchObject({ status: 'RUNNING', stopDate: null, output: null, input: '{"order":"a"}' });
    expect(succeeded).toMatchObject({
      source: 'aws.states',
      'detail-type': 'Step Functions Execution Status Change',
      resources: [executionArn],
      detail: { executionArn, stateMachineArn, name: 'mine', status: 'SUCCEEDED', error: null },
    });
    expect(others).toEqual([]);
  });

  it('refuses at start a definition that is not Amazon States Language', async () => {
    await expect(
      startMachine({ Do: { Type: 'Task', Resource: 'arn:aws:states:::sns:publish', End: true } }),
    ).rejects.toThrow('"Do"');
    await expect(startMachine({ Do: { Type: 'Wait', Seconds: 1, Next: 'Gone' } })).rejects.toThrow(
      'State machine machine',
    );
  });
});
