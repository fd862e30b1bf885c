import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { Construct } from 'constructs';
import { acknowledgeNist } from '../nag.ts';
import type { Stage } from '../stages.ts';
import { alarmTopic } from './alarm-topic.ts';

export interface AlarmProps {
  /** Without the stage. It is also the alarm's construct ID. */
  name: string;
  /** What has happened, in one plain sentence. */
  says: string;
  /** The section of docs/ that says what to do: `operations.md#alarm-sweep`. */
  section: string;
  metric: IMetric;
  /** The alarm goes off at this value. Default: 1. */
  from?: number;
  /** The alarm goes off below `from` instead. */
  below?: true;
  /** The number of periods in a row. Default: 1. */
  periods?: number;
  /** What it means if there is no value. Default: nothing is wrong. */
  missing?: TreatMissingData;
}

/** An alarm that notifies the stage's topic, if there is one, when it goes off and when it is over. Its name contains the stage. */
export function alarm(scope: Construct, stage: Stage, props: AlarmProps): Alarm {
  const { name, says, section, metric, from = 1, below, periods = 1 } = props;
  const made = new Alarm(scope, name, {
    alarmName: `loan-orders-${stage.name}-${name}`,
    alarmDescription: `${says} See ${stage.alarms.documentation ?? 'docs/'}${section}`,
    metric,
    threshold: from,
    evaluationPeriods: periods,
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: props.missing ?? TreatMissingData.NOT_BREACHING,
  });
  const topic = alarmTopic(scope, stage);
  if (topic) {
    made.addAlarmAction(new SnsAction(topic));
    made.addOkAction(new SnsAction(topic));
    return made;
  }
  acknowledgeNist(
    made,
    'CloudWatchAlarmAction',
    "The partner's monitoring watches the alarms (docs/deployment.md). The settings alarms.topicArn and alarms.createTopic notify people.",
  );
  return made;
}
