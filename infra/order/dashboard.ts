import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { EventQueue } from '../constructs/event-queue.ts';
import type { Stage } from '../stages.ts';
import type { OrderFunctions } from './functions.ts';
import { NAMESPACE, PERIOD, published, sweepPeriod } from './metrics.ts';

export interface OrderDashboardProps {
  stage: Stage;
  functions: OrderFunctions;
  stateMachine: StateMachine;
  deadLetters: Queue;
  /** The queues of events, by the functions that handle them. */
  queues: Record<string, EventQueue>;
}

const WAITING_FOR = ['service', 'signatures', 'decision', 'operator'];
const FINDINGS = ['recorded', 'resumed', 'started', 'failed'];
/** A dashboard is 24 units wide: three charts in a row. */
const WIDTH = 8;
const HEIGHT = 6;

/** One page for the operators of a stage: the orders, the service, and what AWS does for us. */
export class OrderDashboard extends Construct {
  constructor(scope: Construct, id: string, props: OrderDashboardProps) {
    super(scope, id);
    new Dashboard(this, 'Dashboard', {
      // An account has the name once for all regions.
      dashboardName: `loan-orders-${props.stage.name}-${Stack.of(this).region}`,
      widgets: [...ordersRows(props.stage), serviceRow(props.stage), ...certificateRow(props.stage), ...awsRows(props)],
    });
  }
}

function ordersRows(stage: Stage): IWidget[][] {
  const period = sweepPeriod(stage);
  const byWhom = (name: string) =>
    WAITING_FOR.map((waitingFor) =>
      published(stage, name, 'Maximum', { waitingFor }, period).with({ label: waitingFor }),
    );
  const findings = FINDINGS.map((finding) =>
    published(stage, 'SweepFindings', 'Sum', { finding }).with({ label: finding }),
  );
  return [
    [
      new SingleValueWidget({
        title: 'Orders now, by whom they wait for',
        metrics: byWhom('OrdersWaiting'),
        width: 24,
        height: 3,
      }),
    ],
    [
      chart('Orders by whom they wait for', byWhom('OrdersWaiting')),
      chart('Age of the oldest, in seconds', byWhom('OldestWaitSeconds')),
      chart('Longest time in a status, of a pause, and of an unsent event, in seconds', [
        found(stage, 'UnchangedSeconds', 'status', 'Maximum'),
        published(stage, 'StagePausedSeconds', 'Maximum', {}, period).with({ label: 'stage paused' }),
        published(stage, 'EventsBehindSeconds', 'Maximum', {}, period).with({ label: 'event unsent' }),
      ]),
    ],
    [
      chart('Orders started, and uploads rejected', [
        published(stage, 'OrdersStarted', 'Sum').with({ label: 'started' }),
        found(stage, 'UploadsRejected', 'upload', 'Sum'),
      ]),
      chart('Orders ended, by end', [found(stage, 'OrdersEnded', 'end', 'Sum')]),
      chart('Sweeps, their findings, and outages', [
        published(stage, 'Sweeps', 'Sum').with({ label: 'sweeps' }),
        ...findings,
        found(stage, 'OrdersInterrupted', 'error', 'Sum'),
      ]),
    ],
  ];
}

function serviceRow(stage: Stage): IWidget[] {
  const latency = (statistic: string, label: string) => published(stage, 'CallLatency', statistic).with({ label });
  return [
    chart('Calls of the order service, by kind and outcome', [
      found(stage, 'CallLatency', 'call,outcome', 'SampleCount'),
      found(stage, 'CallsSentAgain', 'cause', 'Sum'),
      published(stage, 'CallsUnanswered', 'Sum').with({ label: 'without a usable answer' }),
    ]),
    chart('Latency of calls, in milliseconds', [latency('p50', 'half'), latency(Stats.p(99), '99 of 100')]),
    chart('Token requests, by outcome', [found(stage, 'TokenRequestLatency', 'outcome', 'SampleCount')]),
  ];
}

/** Only a stage with a client certificate has it. */
function certificateRow(stage: Stage): IWidget[][] {
  if (stage.orderService.clientCertificate === undefined) return [];
  const left = published(stage, 'ClientCertificateSecondsLeft', 'Minimum', {}, Duration.hours(1));
  return [[chart('Client certificate, seconds until it expires', [left.with({ label: 'left' })])]];
}

function awsRows({ functions, stateMachine, deadLetters, queues }: OrderDashboardProps): IWidget[][] {
  const letters: [string, Queue][] = [
    ['sweep-orders', deadLetters],
    ...Object.entries(queues).map(([name, one]): [string, Queue] => [name, one.deadLetters]),
  ];
  const period = PERIOD;
  const sum = { period, statistic: 'Sum' };
  const maximum = { period, statistic: 'Maximum' };
  const all = Object.entries(functions.byName);
  const named = (label: string, metric: IMetric & { with(props: { label: string }): IMetric }) =>
    metric.with({ label });
  return [
    [
      chart(
        'Errors of functions',
        all.map(([name, one]) => named(name, one.metricErrors(sum))),
      ),
      chart(
        'Throttled invocations of functions',
        all.map(([name, one]) => named(name, one.metricThrottles(sum))),
      ),
      chart(
        'Longest runs of functions, in milliseconds',
        all.map(([name, one]) => named(name, one.metricDuration(maximum))),
      ),
    ],
    [
      chart('Executions', [
        named('started', stateMachine.metricStarted(sum)),
        named('succeeded', stateMachine.metricSucceeded(sum)),
        named('failed', stateMachine.metricFailed(sum)),
        named('aborted', stateMachine.metricAborted(sum)),
        named('timed out', stateMachine.metricTimedOut(sum)),
        named('throttled', stateMachine.metricThrottled(sum)),
      ]),
      chart(
        'Dead letters',
        letters.map(([name, queue]) => named(name, queue.metricApproximateNumberOfMessagesVisible(maximum))),
      ),
      chart(
        'Age of the oldest dead letter that was looked at less than three times, in seconds',
        letters.map(([name, queue]) => named(name, queue.metricApproximateAgeOfOldestMessage(maximum))),
      ),
    ],
  ];
}

function chart(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: WIDTH, height: HEIGHT });
}

/** Every value of the dimensions that was published, because some are not known in advance: the classes of errors. */
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
