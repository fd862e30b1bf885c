import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';
import { allowDataKey, WRITE_OBJECTS_WITH_KEY } from './data-key.ts';
import { ofThisAccount } from './rights.ts';

export interface Target {
  stage: Stage;
  /** The action that a schedule performs on its target, such as `lambda:InvokeFunction`. */
  action: string;
  targetArn: string;
  /** Receives the starts that the target did not accept. */
  deadLetters: IQueue;
}

export interface Schedule {
  name: string;
  description: string;
  minutes: number;
  input: object;
  /** A missed start is not delivered after this time, because a later one does the same. */
  oldestStartSeconds: number;
}

const START_RETRIES = 24;

/** Schedules of EventBridge Scheduler for one target, by construct id, each with its own rate. They share a role. */
export function addSchedules(scope: Construct, id: string, target: Target, schedules: Record<string, Schedule>): void {
  const all = new Construct(scope, id);
  const { roleArn } = roleFor(all, target);
  for (const [one, { name, description, minutes, input, oldestStartSeconds }] of Object.entries(schedules)) {
    new CfnSchedule(all, one, {
      name,
      description,
      scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: target.targetArn,
        roleArn,
        input: JSON.stringify(input),
        retryPolicy: { maximumEventAgeInSeconds: oldestStartSeconds, maximumRetryAttempts: START_RETRIES },
        deadLetterConfig: { arn: target.deadLetters.queueArn },
      },
    });
  }
}

function roleFor(scope: Construct, { stage, action, targetArn, deadLetters }: Target): Role {
  const role = new Role(scope, 'Role', { assumedBy: ofThisAccount(scope, 'scheduler.amazonaws.com') });
  role.addToPolicy(new PolicyStatement({ actions: [action], resources: [targetArn] }));
  role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }));
  allowDataKey(role, stage, WRITE_OBJECTS_WITH_KEY, ['sqs']);
  return role;
}
