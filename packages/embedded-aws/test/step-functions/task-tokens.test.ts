import { SendTaskSuccessCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { holdFirst, LAMBDA, startMachine, workTask } from './state-machine-fixture.ts';

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
  const { client } = machine;
  const succeed = (token = taskToken, output = '{"agreed":true}') =>
    client.send(new SendTaskSuccessCommand({ taskToken: token, output }));
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
    const more = { TimeoutSeconds: 600, Catch };
    const started = await startAsking(more, { Rest: { Type: 'Wait', Seconds: 60, End: true } });
    const { aws, executionArn, finish, history, succeed } = started;
    await aws.runUntil(() => aws.describeRunning()[0]?.includes('"Rest"') ?? false);
    await expect(succeed()).rejects.toMatchObject({ name: 'TaskTimedOut' });
    expect((await finish(executionArn)).status).toBe('SUCCEEDED');
    const types = (await history(executionArn)).map(({ type }) => type);
    expect(types.filter((type) => type?.startsWith('Task'))).toEqual([
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSubmitted',
      'TaskTimedOut',
      'TaskStateExited',
    ]);
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
