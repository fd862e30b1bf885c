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
  it('returns its results in order, and writes a consistent history', async () => {
    const { start, finish, history } = await startMachine({ Each: each() });
    const executionArn = await start(items('', '', '', '', '', ''));
    const { output } = await finish(executionArn);
    expect(JSON.parse(output ?? '')).toEqual([0, 1, 2, 3, 4, 5].map((number) => ({ number })));
    const events = await history(executionArn);
    const types = events.map(({ type }) => type);
    expect(events.find(({ type }) => type === 'MapStateStarted')?.mapStateStartedEventDetails).toEqual({ length: 6 });
    expect(types.slice(-3)).toEqual(['MapStateSucceeded', 'MapStateExited', 'ExecutionSucceeded']);
    const byId = new Map(events.map((event) => [event.id, event]));
    for (const event of events.filter(({ type }) => type === 'TaskScheduled')) {
      const entered = byId.get(event.previousEventId ?? 0);
      expect(entered?.type).toBe('TaskStateEntered');
      const { number } = JSON.parse(entered?.stateEnteredEventDetails?.input ?? '');
      expect(JSON.parse(event.taskScheduledEventDetails?.parameters ?? '').Payload.number).toBe(number);
    }
    expect(types.filter((type) => type === 'MapIterationSucceeded')).toHaveLength(6);
  });

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
