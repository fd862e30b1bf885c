import { MEMORY_MEBIBYTES } from '../../infra/memory.ts';
import type { Stage } from '../../infra/stages.ts';
import { prices } from './prices.ts';
import type { Plan } from './workload.ts';

/** What a part of the stage costs in 30 days, whether orders come or not. In US dollars. */
export interface Standing {
  part: string;
  /** How many of what. */
  count: string;
  dollars: number;
}

/** The stage's settings that these costs depend on. */
export type StandingSettings = Pick<
  Stage,
  'sweep' | 'retention' | 'encryption' | 'signing' | 'orderService' | 'alarms'
>;

const MINUTES_OF_MONTH = 30 * 24 * 60;

/**
 * What the stack of a stage has. test/infra/standing.test.ts compares these numbers with the template. CloudWatch charges an alarm on a
 * metric by the metric, and an alarm on an expression by each metric in it.
 */
export const inStack = { alarms: 18, metricsOfAlarms: 28, dashboards: 1, polledQueues: 3, sweepQueries: 8 };

/** The combinations of our metrics with their dimensions that a busy stage publishes (docs/operations.md, "Metrics"). */
const PUBLISHED_METRICS = 60;
/** Lambda polls an idle queue with five connections, each for 20 seconds at a time. */
const POLLS_OF_QUEUE_EACH_MINUTE = 5 * 3;
/** An idle sweep asks AWS for little. Estimated. */
const SECONDS_OF_SWEEP = 1;
/** The sweep's own lines, of which each metric is one, and Lambda's. Estimated. */
const LOG_BYTES_OF_SWEEP = 10_000;
/** An order in the index of the sweep. Reads of an index are charged by half a unit for 4 KB. Estimated. */
const INDEX_BYTES_OF_ORDER = 500;
const BYTES_OF_READ_UNIT = 8_192;
/** An order's record with its ledger and timeline: some forty items of half a kilobyte. Estimated. */
const RECORD_BYTES = 20_000;
const GIGABYTE = 1_000_000_000;
const DAYS_OF_YEAR = 365;

/** The costs of a stage that stand whether orders come or not. Two of them grow with the orders that it holds. */
export function standingCosts(plan: Plan, stage: StandingSettings): Standing[] {
  const { region } = plan;
  const at = (name: keyof typeof prices, units: number) => prices[name].of[region] * units;
  const polls = inStack.polledQueues * POLLS_OF_QUEUE_EACH_MINUTE * MINUTES_OF_MONTH;
  const [keys, secrets] = [keysOf(stage), stage.orderService.clientCertificate === true ? 2 : 1];
  const { gigabytes, days } = recordsOf(plan, stage);
  const sweeps = MINUTES_OF_MONTH / stage.sweep.everyMinutes;
  return [
    { part: 'Custom metrics', count: `${PUBLISHED_METRICS}`, dollars: at('metric', PUBLISHED_METRICS) },
    { part: 'Dashboard', count: `${inStack.dashboards}`, dollars: at('dashboard', inStack.dashboards) },
    {
      part: 'Alarms',
      count: `${inStack.metricsOfAlarms} metrics in ${inStack.alarms} alarms`,
      dollars: at('alarmMetric', inStack.metricsOfAlarms),
    },
    { part: 'SQS, polls of idle queues', count: whole(polls), dollars: at('sqsRequest', polls) },
    { part: 'Sweeps', count: whole(sweeps), dollars: sweeps * costOfSweep(plan) },
    { part: 'Secrets', count: `${secrets}`, dollars: at('secret', secrets) },
    { part: 'KMS keys', count: `${keys}`, dollars: at('key', keys) },
    {
      part: 'Point-in-time recovery',
      count: `${gigabytes.toLocaleString('en-US', { maximumSignificantDigits: 2 })} GB after ${days} days`,
      dollars: at('recoveryGigabyte', gigabytes),
    },
  ];
}

/** Every sweep reads the orders that are not over in the index, and the list of rejected uploads. */
function costOfSweep({ region, ordersPerDay, days }: Plan): number {
  const { of: logs } = prices.logGigabyte;
  const open = ordersPerDay * days;
  const readUnits = inStack.sweepQueries + (open * INDEX_BYTES_OF_ORDER) / BYTES_OF_READ_UNIT;
  return (
    prices.schedule.of[region] +
    prices.lambdaRequest.of[region] +
    prices.lambdaGigabyteSecond.of[region] * (MEMORY_MEBIBYTES / 1024) * SECONDS_OF_SWEEP +
    prices.dynamodbReadUnit.of[region] * readUnits +
    logs[region] * (LOG_BYTES_OF_SWEEP / GIGABYTE)
  );
}

/** What the table holds once records leave it as fast as they come. Records that are kept for ever count for a year. */
function recordsOf({ ordersPerDay }: Plan, { retention }: StandingSettings): { gigabytes: number; days: number } {
  const { recordDays, legalHold } = retention;
  const days = legalHold || recordDays === 'keep' ? DAYS_OF_YEAR : recordDays;
  return { gigabytes: (ordersPerDay * days * RECORD_BYTES) / GIGABYTE, days };
}

/** The keys that the stack creates. */
function keysOf({ encryption, signing, alarms }: StandingSettings): number {
  const ofData = encryption === 'stack-key';
  const ofSigning = [signing.key, signing.evidenceKey].map((key) => typeof key === 'object');
  const ofTopic = alarms.createTopic && encryption === 'aws-managed';
  return [ofData, ...ofSigning, ofTopic].filter(Boolean).length;
}

const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
