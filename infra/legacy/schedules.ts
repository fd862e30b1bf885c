import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

export interface LegacySchedulesProps {
  stage: Stage;
  stateMachineArn: string;
  deadLetters: Queue;
}

/** A start that was missed for this long is not made up for: the next one fetches all that it would have. */
const OLDEST_START_SECONDS = 3_600;

/** Starts runs at the stage's rates, one schedule for each kind of them. */
export class LegacySchedules extends Construct {
  constructor(scope: Construct, id: string, { stage, stateMachineArn, deadLetters }: LegacySchedulesProps) {
    super(scope, id);
    const { account } = Stack.of(this);
    const role = new Role(this, 'Role', {
      // Only this account's schedules: the service must not be talked into using the role for somebody else's.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachineArn] }));
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }));
    const { fetchRequestsEveryMinutes, fetchInnsEveryMinutes } = stage.legacyExchange;
    const rates = { 'fetch-requests': fetchRequestsEveryMinutes, 'fetch-inns': fetchInnsEveryMinutes };
    for (const [work, minutes] of Object.entries(rates)) {
      new CfnSchedule(this, work, {
        name: `loan-orders-${stage.name}-legacy-${work}`,
        description: `Starts the run ${work} of the bank exchange`,
        scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
        flexibleTimeWindow: { mode: 'OFF' },
        state: 'ENABLED',
        target: {
          arn: stateMachineArn,
          roleArn: role.roleArn,
          input: JSON.stringify({ work }),
          retryPolicy: { maximumEventAgeInSeconds: OLDEST_START_SECONDS, maximumRetryAttempts: 24 },
          deadLetterConfig: { arn: deadLetters.queueArn },
        },
      });
    }
  }
}
