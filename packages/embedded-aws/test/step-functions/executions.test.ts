import {
  DescribeStateMachineForExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { START } from '../cloudformation/handmade-assembly.ts';
import { functionArn, startMachine, stateMachineArn, workTask } from './state-machine-fixture.ts';

const DAY = 86_400;
const wait = (Seconds: number, more: object = { End: true }) => ({ Type: 'Wait', Seconds, ...more });

describe('an execution', () => {
  it('is returned again for the same name and input while it runs, and its name is never used again', async () => {
    const { client, start, finish } = await startMachine({ Rest: wait(60) });
    const first = await start({ a: 1 }, 'order-1');
    expect(await start({ a: 1 }, 'order-1')).toBe(first);
    await expect(start({ a: 2 }, 'order-1')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
    await finish(first);
    await expect(start({ a: 1 }, 'order-1')).rejects.toMatchObject({ name: 'ExecutionAlreadyExists' });
    await expect(start({}, 'no spaces')).rejects.toMatchObject({ name: 'InvalidName' });
    const broken = client.send(new StartExecutionCommand({ stateMachineArn, input: '{' }));
    await expect(broken).rejects.toMatchObject({ name: 'InvalidExecutionInput' });
  });

  it('waits for forty days in virtual time', async () => {
    const { clock, start, finish } = await startMachine({ Rest: wait(40 * DAY) });
    const { status, startDate, stopDate, output } = await finish(await start({ a: 1 }));
    expect([status, output, clock.now()]).toEqual(['SUCCEEDED', '{"a":1}', START + 40 * DAY * 1000]);
    expect((stopDate?.getTime() ?? 0) - (startDate?.getTime() ?? 0)).toBe(40 * DAY * 1000);
  });

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

  it('accepts the ARN of a function as a resource', async () => {
    const { start, finish, history } = await startMachine({ Do: { Type: 'Task', Resource: functionArn, End: true } });
    const executionArn = await start({ a: 1 });
    expect(JSON.parse((await finish(executionArn)).output ?? '')).toEqual({ event: { a: 1 }, calls: 1 });
    expect((await history(executionArn)).map(({ type }) => type)).toContain('LambdaFunctionSucceeded');
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

  it('is listed by status, newest first, and knows its definition', async () => {
    const { client, start, finish } = await startMachine({
      Rest: { Type: 'Wait', SecondsPath: '$.seconds', End: true },
    });
    const [one, two] = [await start({ seconds: 1 }, 'one'), await start({ seconds: 1 }, 'two')];
    await start({ seconds: DAY }, 'three');
    await finish(one);
    await finish(two);
    const list = async (statusFilter?: 'RUNNING' | 'SUCCEEDED') => {
      const { executions = [] } = await client.send(new ListExecutionsCommand({ stateMachineArn, statusFilter }));
      return executions.map(({ name }) => name);
    };
    expect([await list(), await list('RUNNING'), await list('SUCCEEDED')]).toEqual([
      ['three', 'two', 'one'],
      ['three'],
      ['two', 'one'],
    ]);
    const { definition } = await client.send(new DescribeStateMachineForExecutionCommand({ executionArn: one }));
    expect(JSON.parse(definition ?? '')).toHaveProperty('States.Rest.SecondsPath', '$.seconds');
  });

  it('returns its history in pages, from either end, with or without data', async () => {
    const { client, start, finish } = await startMachine({ Rest: wait(1) });
    const executionArn = await start({ secret: 1 });
    await finish(executionArn);
    const get = (more: object) => client.send(new GetExecutionHistoryCommand({ executionArn, ...more }));
    const first = await get({ maxResults: 3, includeExecutionData: false });
    expect(first.events?.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(JSON.stringify(first.events)).not.toContain('secret');
    const rest = await get({ maxResults: 3, nextToken: first.nextToken });
    expect([rest.events?.map(({ id }) => id), rest.nextToken]).toEqual([[4], undefined]);
    expect((await get({ reverseOrder: true, maxResults: 1 })).events?.[0]?.type).toBe('ExecutionSucceeded');
  });

  it('ends at the history limit if it loops', async () => {
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
    expect(await finish(executionArn)).toMatchObject({ status: 'FAILED', cause: expect.stringContaining('25000') });
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
