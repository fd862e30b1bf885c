import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Stage } from '../stages.ts';

/** As in core/metrics.ts. That file is not imported, because it brings the library that writes metrics. */
export const NAMESPACE = 'LoanOrders';

/** The period of most alarms and of all charts. */
export const PERIOD = Duration.minutes(5);

export function published(
  stage: Stage,
  metricName: string,
  statistic: string,
  dimensions: Record<string, string> = {},
  period = PERIOD,
): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    statistic,
    period,
    dimensionsMap: { stage: stage.name, ...dimensions },
  });
}

/** A period in which the sweep publishes at least once, late starts included. */
export const sweepPeriod = ({ sweep }: Stage): Duration => Duration.minutes(Math.max(10, 2 * sweep.everyMinutes));
