import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Construct } from 'constructs';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import { alarmTopic } from './alarm-topic.ts';

export interface AlarmProps {
  /** The name of the alarm without the stage. It is also the construct ID. */
  name: string;
  /** What has happened, in one plain sentence. */
  says: string;
  metric: IMetric;
  /** The alarm goes off at this value. */
  threshold: number;
  /** The alarm goes off below the threshold instead. */
  below?: true;
  /** The number of periods in a row. Default: 1. */
  periods?: number;
  /** What a missing value means. Default: nothing is wrong. */
  missing?: TreatMissingData;
}

/**
 * Adds alarms that notify the stage's topic when they go off and when they are over.
 * @param sectionOf the section of docs/ that says what to do about an alarm: `operations.md#alarm-sweep`.
 */
export function addAlarms(
  scope: Construct,
  id: string,
  stage: Stage,
  sectionOf: (name: string) => string,
  alarms: readonly AlarmProps[],
): void {
  const group = new Construct(scope, id);
  for (const { name, says, metric, threshold, below, periods = 1, missing } of alarms) {
    const alarm = new Alarm(group, name, {
      alarmName: `${resourcesName(stage)}-${name}`,
      alarmDescription: `${says} See docs/${sectionOf(name)}`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
    });
    const topic = alarmTopic(group, stage);
    if (!topic) continue;
    alarm.addAlarmAction(new SnsAction(topic));
    alarm.addOkAction(new SnsAction(topic));
  }
}
