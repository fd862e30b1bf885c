import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { EXPIRES_SOON_DAYS } from '../../core/http/client-certificate.ts';
import { type AlarmProps, alarm } from '../constructs/alarm.ts';
import type { EventQueue } from '../constructs/event-queue.ts';
import type { Stage } from '../stages.ts';
import { PERIOD, published, sweepPeriod } from './metrics.ts';

export interface OrderAlarmsProps {
  stage: Stage;
  stateMachine: StateMachine;
  queues: EventQueue[];
  deadLetters: Queue;
}

/** The service is down when it leaves this share of calls without a usable answer, for this many periods in a row. */
const DOWN_SHARE = 0.5;
const DOWN_PERIODS = 3;
/** The share of the account's quota of concurrent executions from which functions may soon be throttled. */
const QUOTA_SHARE = 0.8;
const THROTTLED_PERIODS = 3;
/**
 * An event that is older has failed at least once. CloudWatch stops to count the age of a message that was received three times (Amazon
 * SQS, "Available CloudWatch metrics"), which is after 30 minutes.
 */
const LATE_SECONDS = 20 * 60;
/** Several sweeps have tried to send an event before this. */
const BEHIND_MINUTES = 30;
/** Sweeps that must be missing, one after another. */
const MISSED_SWEEPS = 3;

/**
 * Alarms for operators. None looks at failed executions: an order that fails for good waits for an operator, one that an outage
 * stopped goes on by itself, and the end of a business case is no failure.
 */
export class OrderAlarms extends Construct {
  constructor(scope: Construct, id: string, props: OrderAlarmsProps) {
    super(scope, id);
    const { stage } = props;
    const all = [
      ...orderAlarms(stage),
      ...serviceAlarms(stage),
      ...deadLetterAlarms(props),
      ...throttlingAlarms(props),
      sweepAlarm(stage),
      pausedAlarm(stage),
      eventsBehindAlarm(stage),
      ...certificateAlarm(stage),
    ];
    for (const one of all) {
      const { section = one.name, ...alarmProps } = one;
      alarm(this, stage, { ...alarmProps, section: `operations.md#alarm-${section}` });
    }
  }
}

/** `section` is the name in the heading of the section. Default: the alarm's name. */
type OrderAlarm = Omit<AlarmProps, 'section'> & { section?: string };

function orderAlarms(stage: Stage): OrderAlarm[] {
  const waiting = published(stage, 'OrdersWaiting', 'Maximum', { waitingFor: 'operator' }, sweepPeriod(stage));
  const unchanged = Object.entries(stage.alarms.unchangedHours).map(([status, hours]) => ({
    name: `unchanged-${status.toLowerCase().replaceAll('_', '-')}`,
    section: 'unchanged',
    says: `An order has been ${status} for more than ${hours} hours.`,
    metric: published(stage, 'UnchangedSeconds', 'Maximum', { status }, sweepPeriod(stage)),
    from: Duration.hours(hours).toSeconds(),
  }));
  return [
    {
      name: 'operator',
      says: 'At least one order has stopped and waits for an operator.',
      metric: waiting,
      // Without a sweep nobody knows whether the orders still wait. The alarm of the sweep goes off then.
      missing: TreatMissingData.IGNORE,
    },
    ...unchanged,
  ];
}

function serviceAlarms(stage: Stage): OrderAlarm[] {
  return [
    {
      name: 'credentials-refused',
      says: 'The order service or its authorization service refuses our credentials.',
      metric: published(stage, 'CallLatency', 'SampleCount', { outcome: 'Unauthorized' }),
    },
    {
      name: 'service-down',
      says: `The order service gave no usable answer to half of our calls or more for ${DOWN_PERIODS * PERIOD.toMinutes()} minutes.`,
      metric: published(stage, 'CallsUnanswered', 'Average'),
      from: DOWN_SHARE,
      periods: DOWN_PERIODS,
      // During an outage calls are rare. Only an answer shows that it is over.
      missing: TreatMissingData.IGNORE,
    },
  ];
}

function deadLetterAlarms({ stage, deadLetters, queues }: OrderAlarmsProps): OrderAlarm[] {
  const { deadLetterHours } = stage.alarms;
  const options = { period: PERIOD, statistic: 'Maximum' };
  const hourly = { ...options, period: Duration.hours(1) };
  const all = [deadLetters, ...queues.map((one) => one.deadLetters)];
  return [
    {
      name: 'dead-letters',
      says: 'At least one event failed on all attempts and is in a dead-letter queue.',
      metric: greatest(all.map((queue) => queue.metricApproximateNumberOfMessagesVisible(options))),
    },
    {
      name: 'dead-letters-age',
      says: `There have been events in dead-letter queues for ${deadLetterHours} hours, and each is deleted 14 days after it was sent.`,
      // Not their age: CloudWatch stops to count it when somebody has looked at an event three times.
      metric: greatest(
        all.map((queue) => queue.metricApproximateNumberOfMessagesVisible(hourly)),
        hourly.period,
      ),
      periods: deadLetterHours,
    },
    {
      name: 'events-late',
      says: 'An event failed or was throttled, and is tried again for a day.',
      metric: greatest(queues.map(({ queue }) => queue.metricApproximateAgeOfOldestMessage(options))),
      from: LATE_SECONDS,
    },
    {
      name: 'events-undelivered',
      says: 'EventBridge could not put an event into the queue of its function.',
      metric: greatest(queues.map(({ rule }) => undelivered(rule))),
    },
  ];
}

/** Deliveries that failed for good, whether the event became a dead letter or is lost (EventBridge, "Monitoring Amazon EventBridge"). */
function undelivered({ ruleName }: Rule): Metric {
  return new Metric({
    namespace: 'AWS/Events',
    metricName: 'FailedInvocations',
    dimensionsMap: { RuleName: ruleName },
    statistic: 'Sum',
    period: PERIOD,
  });
}

/** The greatest value of several metrics. */
function greatest(metrics: IMetric[], period = PERIOD): MathExpression {
  const usingMetrics = Object.fromEntries(metrics.map((metric, position) => [`m${position}`, metric]));
  const expression = `MAX([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ expression, usingMetrics, period });
}

function throttlingAlarms({ stage, stateMachine }: OrderAlarmsProps): OrderAlarm[] {
  const { concurrentExecutions } = stage.alarms;
  return [
    {
      name: 'lambda-concurrency',
      says: `The account uses ${QUOTA_SHARE * 100} % or more of its ${concurrentExecutions} concurrent executions of Lambda functions.`,
      // Without dimensions it is the sum of all functions of the account in the region.
      metric: new Metric({
        namespace: 'AWS/Lambda',
        metricName: 'ConcurrentExecutions',
        statistic: 'Maximum',
        period: PERIOD,
      }),
      from: Math.floor(QUOTA_SHARE * concurrentExecutions),
      periods: THROTTLED_PERIODS,
    },
    {
      name: 'step-functions-throttled',
      says: 'Step Functions slows our executions down, because the account reaches its quota of state transitions.',
      metric: stateMachine.metricThrottled({ period: PERIOD, statistic: 'Sum' }),
      periods: THROTTLED_PERIODS,
    },
  ];
}

function sweepAlarm(stage: Stage): OrderAlarm {
  const minutes = Math.max(15, MISSED_SWEEPS * stage.sweep.everyMinutes);
  return {
    name: 'sweep',
    says: `No sweep has completed for ${minutes} minutes, so orders that stopped may go unnoticed.`,
    metric: published(stage, 'Sweeps', 'Sum', {}, Duration.minutes(minutes)),
    below: true,
    missing: TreatMissingData.BREACHING,
  };
}

function pausedAlarm(stage: Stage): OrderAlarm {
  const { pausedHours } = stage.alarms;
  return {
    name: 'paused',
    says: `The stage has been paused for more than ${pausedHours} hours, so no order goes on.`,
    metric: published(stage, 'StagePausedSeconds', 'Maximum', {}, sweepPeriod(stage)),
    from: Duration.hours(pausedHours).toSeconds(),
    // Only a sweep knows whether the stage is paused.
    missing: TreatMissingData.IGNORE,
  };
}

function eventsBehindAlarm(stage: Stage): OrderAlarm {
  return {
    name: 'events-behind',
    says: `What happened to an order could not be sent to the event bus for more than ${BEHIND_MINUTES} minutes.`,
    metric: published(stage, 'EventsBehindSeconds', 'Maximum', {}, sweepPeriod(stage)),
    from: Duration.minutes(BEHIND_MINUTES).toSeconds(),
    // Only a sweep knows what is left to send.
    missing: TreatMissingData.IGNORE,
  };
}

function certificateAlarm(stage: Stage): OrderAlarm[] {
  if (stage.orderService.clientCertificate === undefined) return [];
  return [
    {
      name: 'client-certificate',
      says: `The client certificate expires in less than ${EXPIRES_SOON_DAYS} days.`,
      metric: published(stage, 'ClientCertificateSecondsLeft', 'Minimum', {}, Duration.hours(1)),
      from: Duration.days(EXPIRES_SOON_DAYS).toSeconds(),
      below: true,
      // It is read with a call, and no call says nothing about it.
      missing: TreatMissingData.IGNORE,
    },
  ];
}
