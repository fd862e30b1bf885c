import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  type Metric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { BundledFunction } from '../constructs/bundled-function.ts';
import { resourcesName } from '../names.ts';
import type { Stage } from '../stages.ts';
import { NAMESPACE, PERIOD, published, sweepPeriod } from './metrics.ts';

export interface DashboardProps {
  stage: Stage;
  functions: Record<string, BundledFunction>;
  stateMachine: StateMachine;
  deadLetters: Record<string, Queue>;
}

const WAITING_FOR = ['service', 'signatures', 'decision', 'operator'];
const FINDINGS = ['recorded', 'resumed', 'started', 'failed'];
/** A dashboard is 24 units wide: three charts in a row. */
const WIDTH = 8;
const HEIGHT = 6;

/** One page for the operators of a stage: the orders, the service, and the AWS resources. */
export function addDashboard(scope: Construct, id: string, props: DashboardProps): void {
  new Dashboard(new Construct(scope, id), 'Dashboard', {
    // The name is unique in an account, across all regions.
    dashboardName: `${resourcesName(props.stage)}-${Stack.of(scope).region}`,
    widgets: [...ordersRows(props.stage), ...serviceRows(props.stage), ...awsRows(props)],
  });
}

function ordersRows(stage: Stage): IWidget[][] {
  const bySweep = (name: string, dimensions?: Record<string, string>) =>
    published(stage, name, 'Maximum', dimensions, sweepPeriod(stage));
  const byWhom = (name: string) =>
    WAITING_FOR.map((waitingFor) => bySweep(name, { waitingFor }).with({ label: waitingFor }));
  const findings = FINDINGS.map((finding) =>
    published(stage, 'SweepFindings', 'Sum', { finding }).with({ label: finding }),
  );
  const waiting = byWhom('OrdersWaiting');
  return [
    [new SingleValueWidget({ title: 'Orders now, by whom they wait for', metrics: waiting, width: 24, height: 3 })],
    [
      chart('Orders by whom they wait for', waiting),
      chart('Age of the oldest, in seconds', byWhom('OldestWaitSeconds')),
      chart('Longest time in a status, of a pause, and of an unsent event, in seconds', [
        found(stage, 'UnchangedSeconds', 'status', 'Maximum'),
        bySweep('OutageSeconds').with({ label: 'outage' }),
        bySweep('StagePausedSeconds').with({ label: 'stage paused' }),
        bySweep('EventsBehindSeconds').with({ label: 'event unsent' }),
      ]),
    ],
    [
      chart('Orders started, and uploads rejected', [
        published(stage, 'OrdersStarted', 'Sum').with({ label: 'started' }),
        found(stage, 'UploadsRejected', 'upload', 'Sum'),
      ]),
      chart('Orders ended, by end, and signatures sent unchecked', [
        found(stage, 'OrdersEnded', 'end', 'Sum'),
        published(stage, 'LongWaits', 'Sum').with({ label: 'long waits' }),
        published(stage, 'SignaturesUnchecked', 'Sum').with({ label: 'signatures unchecked' }),
        published(stage, 'RevocationUnknown', 'Sum').with({ label: 'revocation unknown' }),
      ]),
      chart('Sweeps, their findings, and outages', [
        published(stage, 'Sweeps', 'Sum').with({ label: 'sweeps' }),
        ...findings,
        found(stage, 'OrdersInterrupted', 'error', 'Sum'),
      ]),
    ],
  ];
}

function serviceRows(stage: Stage): IWidget[][] {
  const latency = (statistic: string, label: string) => published(stage, 'CallLatency', statistic).with({ label });
  const certificate = published(stage, 'ClientCertificateSecondsLeft', 'Minimum', {}, Duration.hours(1));
  return [
    [
      chart('Calls of the order service, by kind and outcome', [
        found(stage, 'CallLatency', 'call,outcome', 'SampleCount'),
        found(stage, 'CallsSentAgain', 'cause', 'Sum'),
        published(stage, 'CallsUnanswered', 'Sum').with({ label: 'without a usable answer' }),
      ]),
      chart('Latency of calls, in milliseconds', [latency('p50', 'half'), latency(Stats.p(99), '99 of 100')]),
      chart('Token requests, by outcome', [found(stage, 'TokenRequestLatency', 'outcome', 'SampleCount')]),
    ],
    ...(stage.orderService.clientCertificate === undefined
      ? []
      : [[chart('Client certificate, seconds until it expires', [certificate.with({ label: 'left' })])]]),
  ];
}

function awsRows({ functions, stateMachine, deadLetters }: DashboardProps): IWidget[][] {
  const sum = { period: PERIOD, statistic: 'Sum' };
  const maximum = { period: PERIOD, statistic: 'Maximum' };
  return [
    [
      chartOfEach('Errors of functions', functions, (one) => one.metricErrors(sum)),
      chartOfEach('Throttled invocations of functions', functions, (one) => one.metricThrottles(sum)),
      chartOfEach('Longest runs of functions, in milliseconds', functions, (one) => one.metricDuration(maximum)),
    ],
    [
      chart('Executions', [
        stateMachine.metricStarted({ ...sum, label: 'started' }),
        stateMachine.metricSucceeded({ ...sum, label: 'succeeded' }),
        stateMachine.metricFailed({ ...sum, label: 'failed' }),
        stateMachine.metricAborted({ ...sum, label: 'aborted' }),
        stateMachine.metricTimedOut({ ...sum, label: 'timed out' }),
        stateMachine.metricThrottled({ ...sum, label: 'throttled' }),
      ]),
      chartOfEach('Dead letters', deadLetters, (queue) => queue.metricApproximateNumberOfMessagesVisible(maximum)),
      chartOfEach(
        'Age of the oldest dead letter that was looked at less than three times, in seconds',
        deadLetters,
        (queue) => queue.metricApproximateAgeOfOldestMessage(maximum),
      ),
    ],
  ];
}

/** A chart of the same metric of several resources, labelled with their names. */
function chartOfEach<One>(title: string, all: Record<string, One>, metricOf: (one: One) => Metric): GraphWidget {
  const metrics = Object.entries(all).map(([label, one]) => metricOf(one).with({ label }));
  return chart(title, metrics);
}

const chart = (title: string, left: IMetric[]): GraphWidget =>
  new GraphWidget({ title, left, width: WIDTH, height: HEIGHT });

/** One line for each published value of the dimensions. Some values, such as error classes, are not known in advance. */
function found({ name }: Stage, metric: string, dimensions: string, statistic: string): MathExpression {
  const search = `{${NAMESPACE},stage,${dimensions}} MetricName="${metric}" stage="${name}"`;
  return new MathExpression({
    expression: `SEARCH('${search}', '${statistic}', ${PERIOD.toSeconds()})`,
    // The console names each line after its dimensions.
    label: '',
    usingMetrics: {},
    period: PERIOD,
  });
}
