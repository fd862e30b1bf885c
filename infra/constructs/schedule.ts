import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledgeInlinePolicy } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { dataKey, useOfKey, WRITE_OBJECTS_WITH_KEY } from './data-key.ts';

export interface SchedulesProps {
  stage: Stage;
  /** What each schedule may do to its target, such as `lambda:InvokeFunction`. */
  action: string;
  targetArn: string;
  /** Starts that the target did not accept. */
  deadLetters: IQueue;
}

export interface ScheduleProps {
  name: string;
  description: string;
  minutes: number;
  input: object;
  /** A missed start is not delivered after this time, because a later one does the same. */
  oldestStartSeconds: number;
}

const START_RETRIES = 24;

/** Schedules of EventBridge Scheduler with one target, and the role that they share. */
export class Schedules extends Construct {
  readonly #props: SchedulesProps;
  readonly #role: Role;

  constructor(scope: Construct, id: string, props: SchedulesProps) {
    super(scope, id);
    this.#props = props;
    const { stage, action, targetArn, deadLetters } = props;
    this.#role = new Role(this, 'Role', {
      // Only for this account's schedules: otherwise another account could make the service use this role.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    });
    this.#role.addToPolicy(new PolicyStatement({ actions: [action], resources: [targetArn] }));
    this.#role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }));
    const key = dataKey(this, stage);
    if (key) {
      const use = useOfKey(Stack.of(this), key.keyArn, WRITE_OBJECTS_WITH_KEY, ['sqs']);
      this.#role.addToPolicy(new PolicyStatement(use));
    }
    acknowledgeInlinePolicy(this.#role);
  }

  /** Adds a schedule that starts the target at a rate. */
  add(id: string, { name, description, minutes, input, oldestStartSeconds }: ScheduleProps): void {
    const { targetArn, deadLetters } = this.#props;
    new CfnSchedule(this, id, {
      name,
      description,
      scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
      flexibleTimeWindow: { mode: 'OFF' },
      state: 'ENABLED',
      target: {
        arn: targetArn,
        roleArn: this.#role.roleArn,
        input: JSON.stringify(input),
        retryPolicy: { maximumEventAgeInSeconds: oldestStartSeconds, maximumRetryAttempts: START_RETRIES },
        deadLetterConfig: { arn: deadLetters.queueArn },
      },
    });
  }
}
