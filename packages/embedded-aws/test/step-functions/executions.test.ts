import { GetExecutionHistoryCommand, SendTaskSuccessCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import type { LocalAwsOptions } from '../../index.ts';
import { functionArn, holdFirst, LAMBDA, startMachine, workTask } from './state-machine-fixture.ts';

describe('an execution', () => {
  it('does nothing more after it was stopped', async () => {
    const Retry = [{ ErrorEquals: ['Again'], IntervalSeconds: 60, MaxAttempts: 9 }];
    const { aws, clock, client, start, ...machine } = await startMachine({
      Do: workTask({ fail: 'Again' }, { Retry }),
    });
    const executionArn = await start();
    await aws.settle();
    await client.send(new StopExecutionCommand({ executionArn, error: 'Enough', cause: 'of it' }));
    expect(await machine.describe(executionArn)).toMatchObject({ status: 'ABORTED', error: 'Enough', cause: 'of it' });
    await aws.settle();
    expect([machine.written().length, clock.nextTimerAt()]).toEqual([1, undefined]);
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
    const redriveStatusReason = 'Execution history event limit exceeded';
    expect(await finish(executionArn)).toMatchObject({ cause: expect.stringContaining('25000'), redriveStatusReason });
    const last = new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 1 });
    expect((await client.send(last)).events).toMatchObject([{ id: 25_000, type: 'ExecutionFailed' }]);
  });
});

/** A function that never answers, without work in flight. */
const NEVER: Partial<LocalAwsOptions> = { invokeWrapper: () => new Promise(() => undefined) };
const rest = { Type: 'Pass', End: true };

async function run(States: Record<string, object>, options: Partial<LocalAwsOptions> = {}) {
  const { aws, clock, start, describe: look, history } = await startMachine(States, { options });
  const executionArn = await start();
  // A function stands still, so the clock is advanced without waiting for it.
  for (let steps = 0; (await look(executionArn)).status === 'RUNNING' && steps < 100; steps += 1) {
    const next = clock.nextTimerAt();
    if (next !== undefined) clock.advanceTo(next);
    if (!options.invokeWrapper) await aws.settle();
  }
  return { ended: await look(executionArn), events: await history(executionArn) };
}

/** LocalStack's tests in tests/aws/services/stepfunctions/v2 hold histories recorded on AWS: timeouts/ and error_handling/. */
describe('the cause of a failure is the one that Step Functions gives', () => {
  it('to a timeout: none', async () => {
    const { ended, events } = await run({ Do: workTask({}, { TimeoutSeconds: 5 }) }, NEVER);
    expect(ended).toMatchObject({ status: 'FAILED', error: 'States.Timeout' });
    expect(ended.cause).toBeUndefined();
    const [timedOut, failed] = events.slice(-2);
    const identity = { resource: 'invoke', resourceType: 'lambda' };
    expect(timedOut?.taskTimedOutEventDetails).toEqual({ error: 'States.Timeout', ...identity });
    expect(failed?.executionFailedEventDetails).toEqual({ error: 'States.Timeout' });
  });

  it('to a timeout that is caught: an empty text', async () => {
    const Catch = [{ ErrorEquals: ['States.Timeout'], Next: 'Rest' }];
    const { ended } = await run({ Do: workTask({}, { TimeoutSeconds: 5, Catch }), Rest: rest }, NEVER);
    expect(JSON.parse(ended.output ?? '')).toEqual({ Error: 'States.Timeout', Cause: '' });
  });

  it('to a refusal of a service: its message and where it comes from', async () => {
    const FunctionName = `${functionArn}-gone`;
    const Resource = 'arn:aws:states:::lambda:invoke';
    const { ended } = await run({ Do: { Type: 'Task', Resource, Parameters: { FunctionName }, End: true } });
    expect(ended.error).toBe('Lambda.ResourceNotFoundException');
    expect(ended.cause).toMatch(
      /^Function not found: .*-gone \(Service: AWSLambda; Status Code: 404; Error Code: ResourceNotFoundException; Request ID: [0-9a-f-]{36}; Proxy: null\)$/,
    );
  });

  it('to a failure of Lambda without a type: that Lambda gave none', async () => {
    const payload = '{"errorMessage":"Task timed out after 3.00 seconds"}';
    const invokeWrapper = async () => ({ payload, functionError: 'Unhandled' as const });
    const { ended } = await run({ Do: workTask({}) }, { invokeWrapper });
    const cause = 'The cause could not be determined because Lambda did not return an error type. Returned payload:';
    expect(ended).toMatchObject({ error: 'Lambda.Unknown', cause: `${cause} ${payload}` });
  });
});

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

const ask = (more: object = {}) =>
  workTask(
    { 'token.$': '$$.Task.Token', 'id.$': '$$.Execution.Id' },
    { Resource: `${LAMBDA}.waitForTaskToken`, ...more },
  );

async function startAsking(more: object = {}, states: Record<string, object> = {}) {
  const machine = await startMachine({ Ask: ask(more), ...states });
  const executionArn = await machine.start();
  await machine.aws.settle();
  const taskToken: string = machine.written().at(-1).token;
  const succeed = (token = taskToken, output = '{"agreed":true}') =>
    machine.client.send(new SendTaskSuccessCommand({ taskToken: token, output }));
  return { ...machine, executionArn, succeed };
}

describe('a Task that waits for its token', () => {
  it('waits without a timer, and is listed as waiting', async () => {
    const { aws, clock, executionArn } = await startAsking();
    expect(clock.nextTimerAt()).toBeUndefined();
    expect(aws.describeRunning()).toEqual([`${executionArn.split(':').pop()} is at "Ask" (waits for a task token)`]);
  });

  it('times out, refuses its token from then on, and adds nothing to the history', async () => {
    const Catch = [{ ErrorEquals: ['States.Timeout'], Next: 'Rest' }];
    const Rest = { Type: 'Wait', Seconds: 60, End: true };
    const { aws, succeed, ...machine } = await startAsking({ TimeoutSeconds: 600, Catch }, { Rest });
    await aws.runUntil(() => aws.describeRunning()[0]?.includes('"Rest"') ?? false);
    await expect(succeed()).rejects.toMatchObject({ name: 'TaskTimedOut' });
    expect((await machine.finish(machine.executionArn)).status).toBe('SUCCEEDED');
    const types = (await machine.history(machine.executionArn)).map(({ type }) => type);
    const attempt = ['TaskScheduled', 'TaskStarted', 'TaskSubmitted', 'TaskTimedOut'];
    const ofTask = ['TaskStateEntered', ...attempt, 'TaskStateExited'];
    expect(types.filter((type) => type?.startsWith('Task'))).toEqual(ofTask);
  });

  it('times out after the seconds that a path selects in the input of the state, and its function does not get them', async () => {
    const Catch = [{ ErrorEquals: ['States.Timeout'], ResultPath: null, Next: 'Done' }];
    const states = { Ask: ask({ TimeoutSecondsPath: '$.patience', Catch }), Done: { Type: 'Succeed' } };
    const { clock, start, finish, history, written } = await startMachine(states);
    const begun = clock.now();
    const executionArn = await start({ patience: 700 });
    expect(await finish(executionArn)).toMatchObject({ status: 'SUCCEEDED', output: '{"patience":700}' });
    expect(clock.now() - begun).toBe(700_000);
    expect(Object.keys(written()[0])).toEqual(['token', 'id']);
    const scheduled = (await history(executionArn)).find(({ type }) => type === 'TaskScheduled');
    expect(scheduled?.taskScheduledEventDetails).toMatchObject({ timeoutInSeconds: 700 });
    const { Payload } = JSON.parse(scheduled?.taskScheduledEventDetails?.parameters ?? '{}');
    expect(Object.keys(Payload)).toEqual(['token', 'id']);
  });

  it('accepts an answer while its function is still running', async () => {
    const { options, called, release } = holdFirst();
    const machine = await startMachine({ Ask: ask() }, { options });
    const executionArn = await machine.start();
    await called;
    const { token } = machine.written()[0];
    await machine.client.send(new SendTaskSuccessCommand({ taskToken: token, output: '1' }));
    const status = async () => (await machine.describe(executionArn)).status;
    await expect.poll(status, { timeout: 10_000 }).toBe('SUCCEEDED');
    release();
    await machine.aws.settle();
    expect((await machine.history(executionArn)).map(({ type }) => type)).not.toContain('TaskSubmitted');
  });
});
