import { Duration } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { alarm } from '../constructs/alarm.ts';
import type { Stage } from '../stages.ts';

/** Alarms for operators: an order has failed, or an event is in the dead-letter queue. */
export class OrderAlarms extends Construct {
  constructor(scope: Construct, id: string, props: { stage: Stage; stateMachine: StateMachine; deadLetters: Queue }) {
    super(scope, id);
    const { stage, stateMachine, deadLetters } = props;
    const period = Duration.minutes(5);
    alarm(this, 'failed', 'Order executions failed', stateMachine.metricFailed({ period, statistic: 'Sum' }), stage);
    alarm(
      this,
      'timed-out',
      'Order executions timed out',
      stateMachine.metricTimedOut({ period, statistic: 'Sum' }),
      stage,
    );
    alarm(
      this,
      'dead-letters',
      'Events are in the dead-letter queue',
      deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      stage,
    );
  }
}
