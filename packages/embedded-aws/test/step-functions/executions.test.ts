import { GetExecutionHistoryCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { START } from '../cloudformation/handmade-assembly.ts';
import { startMachine, workTask } from './state-machine-fixture.ts';

const DAY = 86_400;
const wait = (Seconds: number, more: object = { End: true }) => ({ Type: 'Wait', Seconds, ...more });

describe('an execution', () => {
  it('writes nine history events for a Wait, a Task and a Choice', async () => {
    const { start, finish, history } = await startMachine({
      Rest: wait(1, { Next: 'Read' }),
      Read: workTask({ n: 1 }, { End: undefined, Next: 'Which?' }),
      'Which?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.Payload.calls', NumericEquals: 0, Next: 'Rest' }],
        Default: 'Done',
      },
      Done: { Type: 'Succeed' },
    });
    const executionArn = await start();
    await finish(executionArn);
    const types = (await history(executionArn)).map(({ type }) => type);
    expect(types).toEqual([
      'ExecutionStarted',
      'WaitStateEntered',
      'WaitStateExited',
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSucceeded',
      'TaskStateExited',
      'ChoiceStateEntered',
      'ChoiceStateExited',
      'SucceedStateEntered',
      'SucceedStateExited',
      'ExecutionSucceeded',
    ]);
  });

  it('fails with the error name of its function, and with the error as JSON in the cause', async () => {
    const { start, finish, history } = await startMachine({ Do: workTask({ fail: 'OrderBroken' }) });
    const executionArn = await start();
    const { status, error, cause } = await finish(executionArn);
    expect([status, error]).toEqual(['FAILED', 'OrderBroken']);
    expect(JSON.parse(cause ?? '')).toMatchObject({ errorType: 'OrderBroken', errorMessage: 'asked to fail' });
    const [last, before] = (await history(executionArn)).reverse();
    expect(last).toMatchObject({ type: 'ExecutionFailed', executionFailedEventDetails: { error, cause } });
    expect(before).toMatchObject({ type: 'TaskFailed', taskFailedEventDetails: { error, cause, resource: 'invoke' } });
  });

  it('does nothing more after it was stopped', async () => {
    const Retry = [{ ErrorEquals: ['Again'], IntervalSeconds: 60, MaxAttempts: 9 }];
    const {
      aws,
      clock,
      client,
      start,
      describe: look,
      written,
    } = await startMachine({ Do: workTask({ fail: 'Again' }, { Retry }) });
    const executionArn = await start();
    await aws.settle();
    await client.send(new StopExecutionCommand({ executionArn, error: 'Enough', cause: 'of it' }));
    expect(await look(executionArn)).toMatchObject({ status: 'ABORTED', error: 'Enough', cause: 'of it' });
    await aws.settle();
    expect([written().length, clock.nextTimerAt()]).toEqual([1, undefined]);
  });

  it('ends after the TimeoutSeconds of its definition', async () => {
    const { clock, start, finish } = await startMachine({ Rest: wait(DAY) }, { machine: { TimeoutSeconds: 60 } });
    expect((await finish(await start())).status).toBe('TIMED_OUT');
    expect([clock.now() - START, clock.nextTimerAt()]).toEqual([60_000, undefined]);
  });

  it('ends at the history limit if it loops, and cannot be redriven', async () => {
    const { client, start, finish } = await startMachine({
      Spin: { Type: 'Pass', Next: 'Enough?' },
      'Enough?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.enough', BooleanEquals: true, Next: 'Done' }],
        Default: 'Spin',
      },
      Done: { Type: 'Succeed' },
    });
    const executionArn = await start({ enough: false });
    expect(await finish(executionArn)).toMatchObject({
      cause: expect.stringContaining('25000'),
      redriveStatusReason: 'Execution history event limit exceeded',
    });
    const last = new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 });
    expect((await client.send(last)).events).toMatchObject([{ id: 25_000, type: 'ExecutionFailed' }]);
  });

  it('is named with its current state when nothing can continue it', async () => {
    const { aws, start } = await startMachine({ Rest: wait(60) });
    await start({}, 'mine');
    await expect(aws.runUntil(() => false, { limitMilliseconds: 1000 })).rejects.toThrow(
      /1000 ms[\s\S]*mine is at "Rest"/,
    );
    await expect(aws.runUntil(() => false)).rejects.toThrow('no timer is left');
  });
});
