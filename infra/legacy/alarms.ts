import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { alarm } from '../constructs/alarm.ts';
import type { Stage } from '../stages.ts';

/** Alarms for operators: a run or an upload has failed, or an event is in the dead-letter queue. */
export class LegacyAlarms extends Construct {
  constructor(scope: Construct, id: string, props: { stage: Stage; stateMachine: StateMachine; deadLetters: Queue }) {
    super(scope, id);
    const { stage, stateMachine, deadLetters } = props;
    const period = Duration.minutes(5);
    const failed = stateMachine.metricFailed({ period, statistic: 'Sum' });
    const timedOut = stateMachine.metricTimedOut({ period, statistic: 'Sum' });
    const letters = deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' });
    alarm(this, 'legacy-failed', 'Executions of the bank exchange failed', failed, stage);
    alarm(this, 'legacy-timed-out', 'Executions of the bank exchange timed out', timedOut, stage);
    alarm(this, 'legacy-dead-letters', 'Events of the bank exchange are in its dead-letter queue', letters, stage);
  }
}
