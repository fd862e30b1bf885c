import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { acknowledgeNist } from '../nag.ts';
import type { Stage } from '../stages.ts';

/** An alarm that goes off when the metric reaches the threshold in one period. Its name contains the stage. */
export function alarm(
  scope: Construct,
  name: string,
  alarmDescription: string,
  metric: IMetric,
  stage: Stage,
  threshold = 1,
): Alarm {
  const made = new Alarm(scope, name, {
    alarmName: `loan-orders-${stage.name}-${name}`,
    alarmDescription,
    metric,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  acknowledgeNist(
    made,
    'CloudWatchAlarmAction',
    "The partner's monitoring watches the alarms (docs/deployment.md). The stack does not know whom it calls.",
  );
  return made;
}
