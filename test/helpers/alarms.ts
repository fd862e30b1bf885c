import type { Template } from 'aws-cdk-lib/assertions';
import type { Stage } from '../../infra/stages.ts';

export interface AlarmProperties {
  AlarmName: string;
  AlarmDescription: string;
  Namespace?: string;
  MetricName?: string;
  Statistic?: string;
  Metrics?: { MetricStat?: { Metric: { MetricName: string }; Period: number; Stat: string } }[];
  Dimensions?: { Name: string; Value: unknown }[];
  Period?: number;
  Threshold: number;
  EvaluationPeriods: number;
  ComparisonOperator: string;
  TreatMissingData: string;
  AlarmActions?: unknown[];
  OKActions?: unknown[];
}

export const TOPIC = 'arn:aws:sns:eu-central-1:111122223333:on-call';

export const withAlarms = (alarms: Partial<Stage['alarms']>) => (stage: Stage) => ({
  ...stage,
  alarms: { ...stage.alarms, ...alarms },
});

export const alarmsIn = (template: Template) =>
  Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties as AlarmProperties,
  );
