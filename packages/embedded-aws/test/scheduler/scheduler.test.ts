import { ListExecutionsCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';

import { received, START } from '../cloudformation/handmade-assembly.ts';
import { startMachine, stateMachineArn } from '../step-functions/state-machine-fixture.ts';

const MINUTE = 60_000;

const schedule = (ScheduleExpression: string, more: object = {}, target: object = {}) => ({
  Type: 'AWS::Scheduler::Schedule',
  Properties: {
    Name: 'timetable',
    ScheduleExpression,
    ScheduleExpressionTimezone: 'Etc/UTC',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: 'ENABLED',
    Target: {
      Arn: { 'Fn::GetAtt': ['Machine', 'Arn'] },
      RoleArn: 'arn:aws:iam::000000000000:role/scheduler',
      Input: '{"at":"<aws.scheduler.scheduled-time>","of":"<aws.scheduler.schedule-arn>"}',
      RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
      ...target,
    },
    ...more,
  },
});

/** A state machine whose executions end at once, with one schedule. `started` returns their starts in minutes from the beginning. */
async function startUnder(Schedule: object, options: Parameters<typeof startMachine>[1] = {}) {
  const machine = await startMachine({ Done: { Type: 'Succeed' } }, { ...options, resources: { Schedule } });
  const executions = async () => {
    const { executions: list = [] } = await machine.client.send(new ListExecutionsCommand({ stateMachineArn }));
    return list.toReversed();
  };
  const started = async () => (await executions()).map(({ startDate }) => (Number(startDate) - START) / MINUTE);
  const pass = async (minutes: number) => {
    const until = START + minutes * MINUTE;
    machine.clock.setTimeout(() => undefined, until - machine.clock.now());
    await machine.aws.runUntil(() => machine.clock.now() >= until);
  };
  return { ...machine, executions, started, pass };
}

const isoTime = (minutes: number) => new Date(START + minutes * MINUTE).toISOString().slice(0, 19);

describe('a schedule', () => {
  it('starts nothing after everything was forgotten, until schedules are started again', async () => {
    const { aws, pass, started } = await startUnder(schedule('rate(5 minutes)'));
    await pass(4);
    await aws.forget();
    await pass(14);
    expect(await started()).toEqual([]);
    aws.startSchedules();
    await pass(20);
    expect(await started()).toEqual([14, 19]);
  });

  it('starts executions at once and at its rate, with its input', async () => {
    const { pass, started, executions, describe: look } = await startUnder(schedule('rate(5 minutes)'));
    await pass(14);
    expect(await started()).toEqual([0, 5, 10]);
    const [, second] = await executions();
    expect(JSON.parse((await look(second?.executionArn ?? '')).input ?? '')).toEqual({
      at: `${isoTime(5)}Z`,
      of: 'arn:aws:scheduler:us-east-1:000000000000:schedule/default/timetable',
    });
  });

  it('does nothing while it is disabled or held', async () => {
    const disabled = await startUnder(schedule('rate(1 minute)', { State: 'DISABLED' }));
    await disabled.pass(5);
    expect(await disabled.started()).toEqual([]);
    const held = await startUnder(schedule('rate(1 minute)'), { options: { holdSchedules: true } });
    await held.pass(2.5);
    expect(await held.started()).toEqual([]);
    held.aws.startSchedules();
    await held.pass(4);
    expect(await held.started()).toEqual([2.5, 3.5]);
  });

  it('uses the delivery wrapper, which may lose or repeat an invocation', async () => {
    let count = 0;
    const { pass, started } = await startUnder(schedule('rate(1 minute)'), {
      options: {
        deliveryWrapper: (event, deliver) => {
          if (event.source !== 'aws.scheduler') return deliver();
          for (let copy = 0; copy < count; copy += 1) deliver();
          count += 1;
        },
      },
    });
    await pass(2);
    expect(await started()).toEqual([1, 2, 2]);
  });

  it('sends an event that its target refuses to its dead-letter queue', async () => {
    const unknown = {
      Arn: `${stateMachineArn}-that-is-not`,
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
    };
    const { pass, aws } = await startUnder(schedule('rate(1 hour)', {}, unknown));
    await pass(1);
    expect((await received(aws, 'queue')).map(({ at }) => at)).toEqual([`${isoTime(0)}Z`]);
    expect(aws.logs()[0]?.line).toContain('did not accept its input');
  });

  it.each([
    ['cron(0 12 * * ? *)', {}, 'cron(0 12 * * ? *); only rate(…) is supported'],
    ['rate(1 minutes)', {}, 'singular'],
    ['rate(5 minute)', {}, 'singular'],
    ['rate(1 hour)', { ScheduleExpressionTimezone: 'Europe/Paris' }, 'Europe/Paris'],
    ['rate(1 hour)', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }, 'flexible time window'],
  ])('is refused if it is %s with %j', async (expression, more, problem) => {
    await expect(startUnder(schedule(expression, more))).rejects.toThrow(problem);
  });
});
