import { describe, expect, it } from 'vitest';
import { received } from '../cloudformation/handmade-assembly.ts';
import { startMachine, stateMachineArn } from './state-machine-fixture.ts';

const rule = {
  Type: 'AWS::Events::Rule',
  Properties: {
    EventPattern: { source: ['aws.states'] },
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

describe('an integration of Step Functions', () => {
  it('starts another execution', async () => {
    const Parameters = {
      StateMachineArn: stateMachineArn,
      'Name.$': '$.next',
      Input: { next: 'never', 'last.$': '$.next' },
    };
    const { start, finish, describe: look } = await startMachine({ Do: task('states:startExecution', Parameters) });
    const { output } = await finish(await start({ next: 'second' }, 'first'));
    const { ExecutionArn } = JSON.parse(output ?? '');
    expect(JSON.parse((await look(ExecutionArn)).input ?? '')).toEqual({ next: 'never', last: 'second' });
    const again = await finish(await start({ next: 'first' }, 'third'));
    expect(again).toMatchObject({ status: 'FAILED', error: 'StepFunctions.ExecutionAlreadyExistsException' });
  });

  it('sends a message', async () => {
    const Parameters = { QueueUrl: 'http://127.0.0.1/queue', MessageBody: { 'of.$': '$.order' } };
    const { aws, start, finish } = await startMachine({ Do: task('sqs:sendMessage', Parameters) });
    expect((await finish(await start({ order: 'a' }))).status).toBe('SUCCEEDED');
    expect(await received(aws, 'queue')).toEqual([{ of: 'a' }]);
  });

  it('is not needed for the status changes of an execution, which a rule sends to a queue', async () => {
    const { aws, start, finish } = await startMachine({ Done: { Type: 'Succeed' } }, { resources: { Rule: rule } });
    const executionArn = await start({ order: 'a' }, 'mine');
    await finish(executionArn);
    const [running, succeeded] = await received(aws, 'queue');
    expect(running.detail).toMatchObject({ status: 'RUNNING', stopDate: null, output: null, input: '{"order":"a"}' });
    expect(succeeded).toMatchObject({
      'detail-type': 'Step Functions Execution Status Change',
      resources: [executionArn],
      detail: { executionArn, stateMachineArn, name: 'mine', status: 'SUCCEEDED', error: null },
    });
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
