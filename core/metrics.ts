import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { isInLambda, stackSettings } from './settings.ts';

export { MetricUnit } from '@aws-lambda-powertools/metrics';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

export const METRICS_NAMESPACE = 'LoanOrders';

/** Dimensions besides the stage. Only values that are defined in the code: no reference, and no text from people or services. */
export type Dimensions = Record<string, string>;

let metrics: Metrics | undefined;

/**
 * Publishes one value in CloudWatch's Embedded Metric Format: one line of the function's log, so it needs no request.
 * Outside Lambda nothing is published.
 * @param dimensionSets the value counts once under the stage with each of these sets. No dimension may be in two of them: the library would
 * write a warning as plain text. So such sets are published one after the other.
 */
export function publish(name: string, unit: Unit, value: number, ...dimensionSets: Dimensions[]): void {
  if (!isInLambda()) return;
  metrics ??= stageMetrics(stackSettings.stage);
  for (const dimensions of dimensionSets.length > 0 ? dimensionSets : [{}]) metrics.addDimensions(dimensions);
  metrics.addMetric(name, unit, value).publishStoredMetrics();
}

/** The library adds the name of the function as a dimension. We want one sum for all functions, so we remove it. */
function stageMetrics(stage: string): Metrics {
  const made = new Metrics({ namespace: METRICS_NAMESPACE });
  made.clearDefaultDimensions();
  return made.setDefaultDimensions({ stage });
}

export function count(name: string, ...dimensionSets: Dimensions[]): void {
  publish(name, MetricUnit.Count, 1, ...dimensionSets);
}
