import { describe, expect, it } from 'vitest';
import { startMachine, stateMachineArn } from './state-machine-fixture.ts';

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
});
