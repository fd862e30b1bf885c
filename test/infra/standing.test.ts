import { expect, test } from 'vitest';
import { inStack } from '../../commands/plan/forecast.ts';
import { templateOf } from '../helpers/template.ts';

interface Metric {
  MetricStat?: unknown;
}

test('the plan charges for the metrics of all alarms, the dashboards, and the queues that Lambda polls', () => {
  const template = templateOf('prod');
  const resources = (type: string) => Object.values(template.findResources(type));
  const alarms = resources('AWS::CloudWatch::Alarm') as { Properties: { Metrics?: Metric[] } }[];
  const metrics = alarms.map(
    ({ Properties: { Metrics } }) => Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1,
  );
  expect({
    alarmMetrics: metrics.reduce((sum, count) => sum + count, 0),
    dashboards: resources('AWS::CloudWatch::Dashboard').length,
    polledQueues: resources('AWS::Lambda::EventSourceMapping').length,
  }).toEqual(inStack);
});
