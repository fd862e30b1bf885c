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
      Input: '{"of":"timetable"}',
      RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
      ...target,
    },
    ...more,
  },
});

async function startUnder(Schedule: object) {
  const machine = await startMachine({ Done: { Type: 'Succeed' } }, { resources: { Schedule } });
  const pass = async (minutes: number) => {
    const until = START + minutes * MINUTE;
    machine.clock.setTimeout(() => undefined, until - machine.clock.now());
    await machine.aws.runUntil(() => machine.clock.now() >= until);
  };
  return { ...machine, pass };
}

describe('a schedule', () => {
  it('sends an event that its target refuses to its dead-letter queue', async () => {
    const unknown = {
      Arn: `${stateMachineArn}-that-is-not`,
      DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
    };
    const { pass, aws } = await startUnder(schedule('rate(1 hour)', {}, unknown));
    await pass(1);
    expect(await received(aws, 'queue')).toEqual([{ of: 'timetable' }]);
    expect(aws.logs()[0]?.line).toContain('refused its input');
  });

  it.each([
    ['cron(0 12 * * ? *)', {}, 'cron(0 12 * * ? *); only rate(…) is supported'],
    ['rate(1 minutes)', {}, 'singular'],
    ['rate(1 hour)', { ScheduleExpressionTimezone: 'Europe/Paris' }, 'Europe/Paris'],
    ['rate(1 hour)', { FlexibleTimeWindow: { Mode: 'FLEXIBLE' } }, 'flexible time window'],
  ])('is refused if it is %s with %j', async (expression, more, problem) => {
    await expect(startUnder(schedule(expression, more))).rejects.toThrow(problem);
  });
});
