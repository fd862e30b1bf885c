import {
  ListExecutionsCommand,
  RedriveExecutionCommand,
  SendTaskSuccessCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { received } from '../cloudformation/handmade-assembly.ts';
import { holdFirst, LAMBDA, startMachine, stateMachineArn, workTask } from './state-machine-fixture.ts';

const DAY = 86_400_000;
/** Payload of a function that fails until its execution has been redriven. */
const failing = { fail: 'Broken', until: 1, 'redrives.$': '$$.Execution.RedriveCount' };

/** An execution of such a machine. `events`: the types of those since the last redrive, with the states and items that they name. */
async function startExecution(
  States: Record<string, object>,
  input: object = {},
  more: Parameters<typeof startMachine>[1] = {},
) {
  const { client, clock, start, describe: look, finish, ...machine } = await startMachine(States, more);
  const executionArn = await start(input, 'mine');
  const history = () => machine.history(executionArn);
  return {
    ...machine,
    client,
    executionArn,
    clock,
    history,
    look: () => look(executionArn),
    finish: () => finish(executionArn),
    redrive: (token?: string) =>
      client.send(new RedriveExecutionCommand({ executionArn, ...(token ? { clientToken: token } : {}) })),
    stop: () => client.send(new StopExecutionCommand({ executionArn, error: 'Stopped' })),
    later: (milliseconds: number) => clock.advanceTo(clock.now() + milliseconds),
    events: async () => {
      const all = await history();
      return all.slice(all.findLastIndex(({ type }) => type === 'ExecutionRedriven')).map((event) => {
        const at = event.mapIterationStartedEventDetails ?? event.mapIterationSucceededEventDetails;
        const name = at?.index ?? event.stateEnteredEventDetails?.name ?? event.stateExitedEventDetails?.name ?? '';
        return `${event.type} ${name}`.trim();
      });
    },
  };
}

const notRedrivable = (reason: string) => ({
  name: 'ExecutionNotRedrivable',
  message: expect.stringMatching(`^Execution arn:.* invalid for redrive as: ${reason}$`),
});

const Rule = {
  Type: 'AWS::Events::Rule',
  Properties: {
    EventPattern: {
      detail: {
        stateMachineArn: [stateMachineArn],
        $or: [{ status: ['FAILED', 'ABORTED'] }, { status: ['RUNNING'], redriveCount: [{ 'anything-but': [0] }] }],
      },
    },
    Targets: [{ Id: 'queue', Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } }],
  },
};

describe('a redriven execution', () => {
  it('goes on at the state that failed with its input, and counts its retries anew', async () => {
    const Payload = { ...failing, until: 2, 'input.$': '$', 'execution.$': '$$.Execution' };
    const Retry = [{ ErrorEquals: ['Broken'], IntervalSeconds: 1, MaxAttempts: 1 }];
    const First = workTask({}, { End: undefined, ResultSelector: { 'n.$': '$.Payload.calls' }, Next: 'Second' });
    const Second = workTask(Payload, { Retry, OutputPath: '$.Payload.event.input' });
    const run = await startExecution({ First, Second }, { a: 1 });
    const { startDate } = await run.finish();
    run.later(DAY);
    await run.redrive();
    expect((await run.finish()).status).toBe('FAILED');
    const { redriveDate } = await run.redrive();
    expect(await run.finish()).toMatchObject({ status: 'SUCCEEDED', output: '{"n":1}' });
    expect(run.written().map(({ redrives = 'first' }) => redrives)).toEqual(['first', 0, 0, 1, 1, 2]);
    const executions = run.written().map(({ execution }) => execution);
    const RoleArn = 'arn:aws:iam::000000000000:role/machine';
    const same = { Id: run.executionArn, Input: { a: 1 }, Name: 'mine', RoleArn, StartTime: startDate?.toISOString() };
    expect(executions[1]).toEqual({ ...same, RedriveCount: 0 });
    expect(executions[5]).toEqual({ ...same, RedriveCount: 2, RedriveTime: redriveDate?.toISOString() });
    const ended = ['TaskSucceeded', 'TaskStateExited Second', 'ExecutionSucceeded'];
    expect(await run.events()).toEqual(['ExecutionRedriven', 'TaskScheduled', 'TaskStarted', ...ended]);
    const all = await run.history();
    const entry = all.find(({ stateEnteredEventDetails: state }) => state?.name === 'Second');
    expect(all.slice(-6, -4)).toMatchObject([
      { executionRedrivenEventDetails: { redriveCount: 2 }, previousEventId: all.length - 6 },
      { type: 'TaskScheduled', previousEventId: entry?.id },
    ]);
  });

  it('is told by its description, the list and the events, and only once for a repeated call', async () => {
    const Rest = { Type: 'Wait', Seconds: 1, Next: 'Do' };
    const run = await startExecution({ Rest, Do: workTask({ ...failing, until: 2 }) }, {}, { resources: { Rule } });
    const reason = 'Execution is RUNNING and cannot be redriven';
    const isRunning = { redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason: reason };
    await expect(run.redrive()).rejects.toMatchObject(notRedrivable(reason));
    await run.stop();
    expect(await run.look()).toMatchObject({ redriveCount: 0, redriveStatus: 'REDRIVABLE' });
    const { redriveDate } = await run.redrive('once');
    const running = await run.look();
    expect(running).toMatchObject({ status: 'RUNNING', redriveCount: 1, redriveDate, ...isRunning });
    expect([running.stopDate, running.error]).toEqual([undefined, undefined]);
    const { executions } = await run.client.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions).toMatchObject([{ status: 'RUNNING', redriveCount: 1, redriveDate }]);
    await run.finish();
    run.later(60_000);
    expect((await run.redrive('once')).redriveDate).toEqual(redriveDate);
    expect(await run.look()).toMatchObject({ status: 'FAILED', redriveCount: 1 });
    const date = redriveDate?.getTime();
    expect((await received(run.aws, 'queue')).map(({ detail }) => detail)).toMatchObject([
      { status: 'ABORTED', redriveCount: 0, redriveDate: null, redriveStatus: 'REDRIVABLE', redriveStatusReason: null },
      { status: 'RUNNING', redriveCount: 1, redriveDate: date, stopDate: null, error: null, ...isRunning },
      { status: 'FAILED', redriveCount: 1, redriveDate: date, redriveStatus: 'REDRIVABLE' },
    ]);
    run.later(14 * 60_000);
    await run.redrive('once');
    expect(await run.finish()).toMatchObject({ status: 'SUCCEEDED', redriveCount: 2 });
    await expect(run.redrive()).rejects.toMatchObject(notRedrivable('Execution is SUCCEEDED and cannot be redriven'));
  });

  it('is refused later than 14 days after its end', async () => {
    const run = await startExecution({ No: { Type: 'Fail', Error: 'No' } });
    await run.finish();
    run.later(14 * DAY);
    await run.redrive();
    expect(await run.finish()).toMatchObject({ status: 'FAILED', error: 'No', redriveCount: 1 });
    expect(await run.events()).toEqual(['ExecutionRedriven', 'ExecutionFailed']);
    run.later(14 * DAY + 1);
    const reason = 'Execution redrivable period exceeded';
    await expect(run.redrive()).rejects.toMatchObject(notRedrivable(reason));
    expect(await run.look()).toMatchObject({ redriveStatus: 'NOT_REDRIVABLE', redriveStatusReason: reason });
  });

  it('repeats no item of a Map that is done, and goes on in the others, each at its own state', async () => {
    const Payload = { ...failing, until: 2, 'n.$': '$.n', 'fail.$': '$.fail', 'input.$': '$$.Execution.Input[0].n' };
    const { fail: _fail, ...parameters } = Payload;
    const Do = workTask(parameters, { OutputPath: '$.Payload.event.n' });
    const States = { Rest: { Type: 'Wait', SecondsPath: '$.rest', Next: 'Do' }, Do };
    const Each = { Type: 'Map', MaxConcurrency: 2, ItemProcessor: { StartAt: 'Rest', States }, End: true };
    const items = [0, 60, 120, 0].map((rest, n) => ({ n, rest, fail: n === 1 ? 'Broken' : '' }));
    const run = await startExecution({ Each }, items);
    const begun = run.clock.now();
    for (const _redrive of [1, 2]) {
      expect((await run.finish()).status).toBe('FAILED');
      run.later(10_000);
      await run.redrive();
    }
    expect((await run.finish()).output).toBe('[0,1,2,3]');
    expect(run.clock.now() - begun).toBe(120_000);
    expect(run.written().map(({ n, input }) => [n, input])).toEqual([0, 1, 1, 1, 3, 2].map((n) => [n, 0]));
    expect((await run.events()).filter((line) => /Iteration|Rest|MapState/.test(line))).toEqual([
      'MapIterationSucceeded 1',
      ...['MapIterationStarted 3', 'WaitStateEntered Rest', 'WaitStateExited Rest', 'MapIterationSucceeded 3'],
      ...['WaitStateExited Rest', 'MapIterationSucceeded 2', 'MapStateSucceeded', 'MapStateExited Each'],
    ]);
  });

  it('runs all items of a Map again only when the Map itself is retried', async () => {
    const States = { Do: workTask({ 'n.$': '$.n', 'fail.$': '$.fail' }) };
    const Retry = [{ ErrorEquals: ['Broken'], IntervalSeconds: 60, MaxAttempts: 1 }];
    const Each = { Type: 'Map', MaxConcurrency: 1, Retry, ItemProcessor: { StartAt: 'Do', States }, End: true };
    const run = await startExecution(
      { Each },
      [0, 1].map((n) => ({ n, fail: n === 1 ? 'Broken' : '' })),
    );
    await run.aws.settle();
    await run.stop();
    await run.redrive();
    await run.finish();
    expect(run.written().map(({ n }) => n)).toEqual([0, 1, 1, 0, 1]);
  });

  it.each<[string, object, number, string]>([
    ['the rest of its seconds', { Seconds: 100 }, 100, 'SUCCEEDED'],
    ['until its timestamp', { Timestamp: '2030-01-01T00:01:40Z' }, 100, 'SUCCEEDED'],
    ['no longer than its time allows, counted anew', { Seconds: 200 }, 150, 'TIMED_OUT'],
  ])('waits %s', async (_name, wait, seconds, status) => {
    const Rest = { Type: 'Wait', ...wait, End: true };
    const run = await startExecution({ Rest }, {}, { machine: { TimeoutSeconds: 90 } });
    const begun = run.clock.now();
    run.later(40_000);
    await run.stop();
    run.later(20_000);
    await run.redrive();
    expect((await run.finish()).status).toBe(status);
    expect(run.clock.now() - begun).toBe(seconds * 1000);
  });

  it('asks with a new token, and what a stopped attempt still does has no effect', async () => {
    const Retry = [{ ErrorEquals: ['Broken'], IntervalSeconds: 1 }];
    const Do = workTask(failing, { End: undefined, Retry, Next: 'Ask' });
    const Ask = workTask({ 'token.$': '$$.Task.Token' }, { Resource: `${LAMBDA}.waitForTaskToken` });
    const { options, called, release } = holdFirst();
    const run = await startExecution({ Do, Ask }, {}, { options });
    await called;
    await run.stop();
    await run.redrive();
    await expect.poll(() => run.written().length).toBe(3);
    await run.stop();
    await run.redrive();
    release();
    await run.aws.settle();
    expect(run.written()).toHaveLength(4);
    const [old, token] = run.written().flatMap((event) => event.token ?? []);
    const succeed = (taskToken: string) => run.client.send(new SendTaskSuccessCommand({ taskToken, output: '1' }));
    await expect(succeed(old)).rejects.toMatchObject({ name: 'TaskTimedOut' });
    await succeed(token);
    expect(await run.finish()).toMatchObject({ status: 'SUCCEEDED', output: '1', redriveCount: 2 });
    expect((await run.history()).filter(({ type }) => type === 'TaskSucceeded')).toHaveLength(2);
  });
});
