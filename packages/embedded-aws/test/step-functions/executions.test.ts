import { GetExecutionHistoryCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { startMachine, workTask } from './state-machine-fixture.ts';

describe('an execution', () => {
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
});
