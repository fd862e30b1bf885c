import { Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { dataKey, useOfKey, WRITE_OBJECTS_WITH_KEY } from '../constructs/data-key.ts';
import { acknowledgeInlinePolicy } from '../nag.ts';
import type { Stage } from '../stages.ts';

export interface LegacySchedulesProps {
  stage: Stage;
  stateMachineArn: string;
  deadLetters: Queue;
}

/** A missed start is not delivered after this time: the next run fetches the same data. */
const OLDEST_START_SECONDS = 3_600;
const START_RETRIES = 24;

/** Starts runs at the stage's rates. Each kind of run has its own schedule. */
export class LegacySchedules extends Construct {
  constructor(scope: Construct, id: string, { stage, stateMachineArn, deadLetters }: LegacySchedulesProps) {
    super(scope, id);
    const { account } = Stack.of(this);
    const role = new Role(this, 'Role', {
      // Only for this account's schedules: otherwise another account could make the service use this role.
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachineArn] }));
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [deadLetters.queueArn] }));
    const key = dataKey(this, stage);
    if (key)
      role.addToPolicy(new PolicyStatement(useOfKey(Stack.of(this), key.keyArn, WRITE_OBJECTS_WITH_KEY, ['sqs'])));
    acknowledgeInlinePolicy(role);
    const { fetchRequestsEveryMinutes, fetchInnsEveryMinutes } = stage.legacyExchange;
    const rates = { 'fetch-requests': fetchRequestsEveryMinutes, 'fetch-inns': fetchInnsEveryMinutes };
    for (const [work, minutes] of Object.entries(rates)) {
      new CfnSchedule(this, work, {
        name: `loan-orders-${stage.name}-legacy-${work}`,
        description: `Starts the bank exchange's run ${work}`,
        scheduleExpression: `rate(${minutes} ${minutes === 1 ? 'minute' : 'minutes'})`,
        flexibleTimeWindow: { mode: 'OFF' },
        state: 'ENABLED',
        target: {
          arn: stateMachineArn,
          roleArn: role.roleArn,
          input: JSON.stringify({ work }),
          retryPolicy: { maximumEventAgeInSeconds: OLDEST_START_SECONDS, maximumRetryAttempts: START_RETRIES },
          deadLetterConfig: { arn: deadLetters.queueArn },
        },
      });
    }
  }
}
