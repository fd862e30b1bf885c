import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { alarm } from '../constructs/alarm.ts';
import type { EventQueue } from '../constructs/event-queue.ts';
import type { Stage } from '../stages.ts';

export interface OrderAlarmsProps {
  stage: Stage;
  stateMachine: StateMachine;
  queues: EventQueue[];
  deadLetters: Queue;
}

/**
 * An event that is older has failed at least once. CloudWatch stops to count the age of a message that was received three times (Amazon
 * SQS, "Available CloudWatch metrics"), which is after 30 minutes.
 */
const LATE_SECONDS = 20 * 60;
const period = Duration.minutes(5);

/** Alarms for operators: an order has failed, events fail again and again, or an event is in a dead-letter queue. */
export class OrderAlarms extends Construct {
  constructor(scope: Construct, id: string, { stage, stateMachine, queues, deadLetters }: OrderAlarmsProps) {
    super(scope, id);
    alarm(this, 'failed', 'Order executions failed', stateMachine.metricFailed({ period, statistic: 'Sum' }), stage);
    alarm(
      this,
      'timed-out',
      'Order executions timed out',
      stateMachine.metricTimedOut({ period, statistic: 'Sum' }),
      stage,
    );
    const letters = [deadLetters, ...queues.map((one) => one.deadLetters)].map((queue) =>
      queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
    );
    alarm(this, 'dead-letters', 'Events are in a dead-letter queue', greatest(letters), stage);
    const ages = queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage({ period, statistic: 'Maximum' }));
    alarm(this, 'events-late', 'Events fail, and are tried again for a day', greatest(ages), stage, LATE_SECONDS);
  }
}

/** The greatest value of several metrics. */
function greatest(metrics: IMetric[]): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, position) => [`m${position}`, metric]));
  return new MathExpression({ expression: `MAX([${Object.keys(usingMetrics).join(', ')}])`, usingMetrics, period });
}
