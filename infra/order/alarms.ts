import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { EXPIRES_SOON_DAYS } from '../../core/http/client-certificate.ts';
import { UNCHANGED_HOURS } from '../../core/order/order-item.ts';
import type { AlarmProps } from '../constructs/alarm.ts';
import type { EventQueue } from '../constructs/event-queue.ts';
import { deployedSettings } from '../deployed-settings.ts';
import type { Stage } from '../stages.ts';
import { PERIOD, published, sweepPeriod } from './metrics.ts';

/** The section of docs/ about the alarm. */
export const sectionOf = (alarm: string): string =>
  `operations.md#alarm-${alarm.startsWith('unchanged-') ? 'unchanged' : alarm}`;

/** The service counts as down when this share of calls gets no usable answer, for this many periods in a row. */
const DOWN_SHARE = 0.5;
const DOWN_PERIODS = 3;
/** With the settling time of reads and the sweep's pace, an outage is told within the hour. */
const OUTAGE_MINUTES = 20;
/** Above this share of the account's quota of concurrent executions, functions may soon be throttled. */
const QUOTA_SHARE = 0.8;
const THROTTLED_PERIODS = 3;
/**
 * An older event has failed at least once. CloudWatch stops counting the age of a message that was received three times (Amazon SQS,
 * "Available CloudWatch metrics"), which is after 30 minutes.
 */
const LATE_SECONDS = 20 * 60;
/** Several sweeps have tried to send an event before this. */
const BEHIND_MINUTES = 30;
/** A pause may be forgotten. */
const PAUSED_HOURS = 24;
/** Leaves enough days to act: SQS deletes a message 14 days after it was sent. CloudWatch evaluates seven days at most. */
const DEAD_LETTER_HOURS = 24;
/** The number of sweeps in a row that must be missing. */
const MISSED_SWEEPS = 3;
const HOUR = Duration.hours(1);

/** Only sweeps and calls publish values, so a missing value does not change the alarm. Missing sweeps have their own alarm. */
const missing = TreatMissingData.IGNORE;

/**
 * Alarms on the metrics that our functions publish. None counts failed executions: an order that failed waits for an operator, an order
 * that an outage stopped continues by itself, and `ValidationFailed` is a business outcome, not a fault.
 */
export function alarmsOnOrders(stage: Stage): AlarmProps[] {
  const bySweep = (metric: string, dimensions?: Record<string, string>) =>
    published(stage, metric, 'Maximum', dimensions, sweepPeriod(stage));
  const missedMinutes = Math.max(15, MISSED_SWEEPS * stage.sweep.everyMinutes);
  const unchanged = Object.entries(UNCHANGED_HOURS).map(([status, hours]) => ({
    name: `unchanged-${status.toLowerCase().replaceAll('_', '-')}`,
    says: `An order has been ${status} for more than ${hours} hours.`,
    metric: bySweep('UnchangedSeconds', { status }),
    threshold: hours * HOUR.toSeconds(),
  }));
  return [
    {
      name: 'operator',
      says: 'At least one order has stopped and waits for an operator.',
      metric: bySweep('OrdersWaiting', { waitingFor: 'operator' }),
      threshold: 1,
      missing,
    },
    ...unchanged,
    {
      name: 'credentials-refused',
      says: 'The authorization service refuses our credentials.',
      metric: published(stage, 'CallLatency', 'SampleCount', { outcome: 'Unauthorized' }),
      threshold: 1,
    },
    {
      name: 'outage',
      says: `An outage has stopped an order, which goes on by itself, for more than ${OUTAGE_MINUTES} minutes.`,
      metric: bySweep('OutageSeconds'),
      threshold: OUTAGE_MINUTES * 60,
      missing,
    },
    {
      name: 'service-down',
      says: `The order service gave no usable answer to half of our calls or more for ${DOWN_PERIODS * PERIOD.toMinutes()} minutes.`,
      metric: published(stage, 'CallsUnanswered', 'Average'),
      threshold: DOWN_SHARE,
      periods: DOWN_PERIODS,
      missing,
    },
    {
      name: 'sweep',
      says: `No sweep has completed for ${missedMinutes} minutes, so orders that stopped may go unnoticed.`,
      metric: published(stage, 'Sweeps', 'Sum', {}, Duration.minutes(missedMinutes)),
      threshold: 1,
      below: true,
      missing: TreatMissingData.BREACHING,
    },
    {
      name: 'paused',
      says: `The stage has been paused for more than ${PAUSED_HOURS} hours, so no order goes on.`,
      metric: bySweep('StagePausedSeconds'),
      threshold: PAUSED_HOURS * HOUR.toSeconds(),
      missing,
    },
    {
      name: 'events-behind',
      says: `What happened to an order could not be sent to the event bus for more than ${BEHIND_MINUTES} minutes.`,
      metric: bySweep('EventsBehindSeconds'),
      threshold: BEHIND_MINUTES * 60,
      missing,
    },
    {
      name: 'long-wait',
      says: 'An order waits for long, because the order service or its authorization service asked for that.',
      metric: published(stage, 'LongWaits', 'Sum'),
      threshold: 1,
    },
    {
      name: 'signatures-unchecked',
      says: 'A signature was sent that could not be checked.',
      metric: published(stage, 'SignaturesUnchecked', 'Sum'),
      threshold: 1,
    },
    ...(deployedSettings(stage).signatures.hasRevocationLists ? [revocationAlarm(stage)] : []),
    ...(stage.orderService.clientCertificate === undefined ? [] : [certificateAlarm(stage)]),
  ];
}

const revocationAlarm = (stage: Stage): AlarmProps => ({
  name: 'revocation-lists',
  says: 'A signature was sent although it is not known whether its signer was revoked.',
  metric: published(stage, 'RevocationUnknown', 'Sum'),
  threshold: 1,
});

const certificateAlarm = (stage: Stage): AlarmProps => ({
  name: 'client-certificate',
  says: `The client certificate expires in less than ${EXPIRES_SOON_DAYS} days.`,
  metric: published(stage, 'ClientCertificateSecondsLeft', 'Minimum', {}, HOUR),
  threshold: Duration.days(EXPIRES_SOON_DAYS).toSeconds(),
  below: true,
  missing,
});

/** Alarms on the metrics that AWS publishes. */
export function alarmsOnAws(
  { alarms }: Stage,
  stateMachine: StateMachine,
  deadLetters: Queue[],
  queues: EventQueue[],
): AlarmProps[] {
  const { concurrentExecutions } = alarms;
  const visible = (period: Duration) =>
    greatest(
      deadLetters.map((queue) => queue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' })),
      period,
    );
  return [
    {
      name: 'dead-letters',
      says: 'At least one event failed on all attempts and is in a dead-letter queue.',
      metric: visible(PERIOD),
      threshold: 1,
    },
    {
      name: 'dead-letters-age',
      says: `There have been events in dead-letter queues for ${DEAD_LETTER_HOURS} hours, and each is deleted 14 days after it was sent.`,
      // Their number, not their age: CloudWatch stops counting the age of an event that was received three times.
      metric: visible(HOUR),
      threshold: 1,
      periods: DEAD_LETTER_HOURS,
    },
    {
      name: 'events-late',
      says: 'An event failed or was throttled, and is tried again for a day.',
      metric: greatest(
        queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: 'Maximum' })),
      ),
      threshold: LATE_SECONDS,
    },
    {
      name: 'events-undelivered',
      says: 'EventBridge could not put an event into the queue of its function.',
      // Counts events that became dead letters, and events that are lost (EventBridge, "Monitoring Amazon EventBridge").
      metric: greatest(
        queues.map(({ rule }) => ofAws('Events', 'FailedInvocations', 'Sum', { RuleName: rule.ruleName })),
      ),
      threshold: 1,
    },
    {
      name: 'lambda-concurrency',
      says: `The account uses ${QUOTA_SHARE * 100} % or more of its ${concurrentExecutions} concurrent executions of Lambda functions.`,
      // Without dimensions, this metric covers all functions of the account in the region.
      metric: ofAws('Lambda', 'ConcurrentExecutions', 'Maximum'),
      threshold: Math.floor(QUOTA_SHARE * concurrentExecutions),
      periods: THROTTLED_PERIODS,
    },
    {
      name: 'step-functions-throttled',
      says: 'Step Functions slows our executions down, because the account reaches its quota of state transitions.',
      metric: stateMachine.metricThrottled({ period: PERIOD, statistic: 'Sum' }),
      threshold: 1,
      periods: THROTTLED_PERIODS,
    },
  ];
}

function ofAws(service: string, metricName: string, statistic: string, dimensionsMap: Record<string, string> = {}) {
  return new Metric({ namespace: `AWS/${service}`, metricName, statistic, period: PERIOD, dimensionsMap });
}

/** The maximum of several metrics. */
export function greatest(metrics: IMetric[], period = PERIOD): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, position) => [`m${position}`, metric]));
  const expression = `MAX([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, period });
}
