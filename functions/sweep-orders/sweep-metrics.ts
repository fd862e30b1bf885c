import { MetricUnit, publish } from '../../core/metrics.ts';
import { OPEN_STATUSES } from '../../core/order/order-item.ts';
import { isPaused, type StagePause } from '../../core/order/stage-pause.ts';
import type { DrivenOrder } from '../../core/recovery/abandoned-order.ts';
import { WALKED, type Walked } from '../../core/recovery/walk.ts';

/** What a walk through the orders counts. Each value of `waitingFor` has a count even when no order waits. */
export const newCensus = () => ({
  byWhom: Object.fromEntries(WALKED.map((whom) => [whom, { orders: 0, oldestSeconds: 0 }])) as Record<
    Walked,
    { orders: number; oldestSeconds: number }
  >,
  longestInStatus: {} as Record<string, number>,
  longestOutage: 0,
});
export type Census = ReturnType<typeof newCensus>;

/** Counts the orders that sweeps find, and publishes the counts as metrics. */
export function sweepMetrics(pause: StagePause | undefined) {
  /** The seconds since `then` that may count: while paused, until the pause began; after a pause, since its end; else all. */
  const secondsOutsidePause = (then: string): number => {
    if (isPaused(pause)) return Math.max(0, Math.round((Date.parse(pause.since) - Date.parse(then)) / 1000));
    return pause?.resumedAt === undefined ? Number.POSITIVE_INFINITY : secondsSince(pause.resumedAt);
  };
  return {
    add: (census: Census, whom: Walked, { status, statusSince, changedAt, failure, resume }: DrivenOrder): void => {
      const outage = failure && resume ? Math.min(secondsSince(resume.since), secondsOutsidePause(resume.since)) : 0;
      census.longestOutage = Math.max(census.longestOutage, outage);
      // A read changes `changedAt` even if the status is the same, so `changedAt` is only the fallback.
      const inStatus = secondsSince(statusSince ?? changedAt);
      const isStopped = whom === 'operator';
      // Operators can write `failure`, and so its time.
      const waited = isStopped ? secondsSince(changedAt) : inStatus;
      const of = census.byWhom[whom];
      of.orders += 1;
      of.oldestSeconds = Math.max(of.oldestSeconds, waited);
      // An order that waits for an operator does not change. It has its own alarm.
      if (isStopped) return;
      const counted = OPEN_STATUSES.find((one) => one === status) ?? 'Other';
      // A held order cannot change, so the last pause does not count. After it, the time in the status starts again.
      const unheld = Math.min(inStatus, secondsOutsidePause(statusSince ?? changedAt));
      census.longestInStatus[counted] = Math.max(census.longestInStatus[counted] ?? 0, unheld);
    },
    /** @param unsentSince when the oldest unsent event was added. */
    publish: (census: Census, findings: Record<string, number>, unsentSince: string | undefined): void => {
      for (const [waitingFor, { orders, oldestSeconds }] of Object.entries(census.byWhom)) {
        publish('OrdersWaiting', MetricUnit.Count, orders, { waitingFor });
        publish('OldestWaitSeconds', MetricUnit.Seconds, oldestSeconds, { waitingFor });
      }
      for (const [status, seconds] of Object.entries(census.longestInStatus))
        publish('UnchangedSeconds', MetricUnit.Seconds, seconds, { status });
      for (const [finding, orders] of Object.entries(findings))
        publish('SweepFindings', MetricUnit.Count, orders, { finding });
      publish('OutageSeconds', MetricUnit.Seconds, census.longestOutage);
      publish('StagePausedSeconds', MetricUnit.Seconds, isPaused(pause) ? secondsSince(pause.since) : 0);
      publish('EventsBehindSeconds', MetricUnit.Seconds, unsentSince === undefined ? 0 : secondsSince(unsentSince));
    },
  };
}

const secondsSince = (time: string): number => Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
