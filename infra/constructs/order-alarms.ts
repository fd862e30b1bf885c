import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Stage } from '../stages.ts';

/** What an operator must hear of without looking: an order that needs somebody, and an event that nobody has dealt with. */
export class OrderAlarms extends Construct {
  constructor(scope: Construct, id: string, props: { stage: Stage; stateMachine: StateMachine; deadLetters: Queue }) {
    super(scope, id);
    const { stage, stateMachine, deadLetters } = props;
    const period = Duration.minutes(5);
    this.add('failed', 'Order executions failed', stateMachine.metricFailed({ period, statistic: 'Sum' }), stage);
    this.add(
      'timed-out',
      'Order executions timed out',
      stateMachine.metricTimedOut({ period, statistic: 'Sum' }),
      stage,
    );
    this.add(
      'dead-letters',
      'Events wait in the dead-letter queue',
      deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      stage,
    );
  }

  private add(name: string, alarmDescription: string, metric: Metric, stage: Stage): void {
    new Alarm(this, name, {
      alarmName: `loan-orders-${stage.name}-${name}`,
      alarmDescription,
      metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
