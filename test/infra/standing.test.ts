import { expect, test } from 'vitest';
import { inStack } from '../../commands/plan/standing.ts';
import { templateOf } from '../helpers/template.ts';

interface Metric {
  MetricStat?: unknown;
}

const template = templateOf('prod');
const resources = (type: string) => Object.values(template.findResources(type));

test('the plan charges for as many alarms as the stack has, and for each metric in them', () => {
  const alarms = resources('AWS::CloudWatch::Alarm') as { Properties: { Metrics?: Metric[] } }[];
  const metrics = alarms.map(
    ({ Properties: { Metrics } }) => Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1,
  );
  expect(alarms).toHaveLength(inStack.alarms);
  expect(metrics.reduce((sum, count) => sum + count, 0)).toBe(inStack.metricsOfAlarms);
});

test('the plan charges for the dashboards of the stack, and for the queues that Lambda polls', () => {
  expect(resources('AWS::CloudWatch::Dashboard')).toHaveLength(inStack.dashboards);
  expect(resources('AWS::Lambda::EventSourceMapping')).toHaveLength(inStack.polledQueues);
});
