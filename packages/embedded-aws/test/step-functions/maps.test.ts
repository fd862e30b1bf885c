import { describe, expect, it } from 'vitest';
import { functionArn, LAMBDA, startMachine } from './state-machine-fixture.ts';

const each = (more: object = {}, task: object = {}) => ({
  Type: 'Map',
  ItemsPath: '$.items',
  ItemSelector: { 'number.$': '$$.Map.Item.Value.number', 'fail.$': '$$.Map.Item.Value.fail' },
  ItemProcessor: {
    StartAt: 'Do',
    States: {
      Do: {
        Type: 'Task',
        Resource: LAMBDA,
        Parameters: { FunctionName: functionArn, 'Payload.$': '$' },
        ResultSelector: { 'number.$': '$.Payload.event.number' },
        End: true,
        ...task,
      },
    },
  },
  End: true,
  ...more,
});

const items = (...fails: string[]) => ({ items: fails.map((fail, number) => ({ number, fail })) });

describe('a Map', () => {
  it('begins no further iteration after one has failed', async () => {
    const Catch = [{ ErrorEquals: ['Broken'], ResultPath: '$.error', Next: 'Later' }];
    const { start, finish, history, written } = await startMachine({
      Each: each({ MaxConcurrency: 1, Catch }),
      Later: { Type: 'Wait', Seconds: 60, End: true },
    });
    const executionArn = await start(items('', 'Broken', '', ''));
    expect((await finish(executionArn)).status).toBe('SUCCEEDED');
    expect(written().map(({ number }) => number)).toEqual([0, 1]);
    const types = (await history(executionArn)).map(({ type }) => type);
    expect(types.filter((type) => type === 'MapIterationStarted')).toHaveLength(2);
    expect(types).toContain('MapStateFailed');
    expect(types).not.toContain('MapStateSucceeded');
  });

  it('does not retry an iteration that was waiting for its retry when another one failed', async () => {
    const Retry = [{ ErrorEquals: ['Again'], IntervalSeconds: 60, MaxAttempts: 5 }];
    const Catch = [{ ErrorEquals: ['Broken'], ResultPath: '$.error', Next: 'Later' }];
    // Only one function runs at a time, so the two iterations end in a known sequence.
    const { start, finish, written } = await startMachine(
      { Each: each({ Catch }, { Retry }), Later: { Type: 'Wait', Seconds: 3600, End: true } },
      { options: { lambdaConcurrency: 1 } },
    );
    expect((await finish(await start(items('Again', 'Broken')))).status).toBe('SUCCEEDED');
    expect(written().map(({ fail }) => fail)).toEqual(['Again', 'Broken']);
  });
});
