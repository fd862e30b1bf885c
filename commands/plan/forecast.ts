import { FILE_MEMORY_MEBIBYTES, MEMORY_MEBIBYTES } from '../../infra/memory.ts';
import type { Stage } from '../../infra/stages.ts';
import { countsOf, LEAST_POLLS, type OrderCounts, type OrderSize } from './order-counts.ts';
import { AS_OF, prices, quotas, type Region } from './prices.ts';

/** What to plan for. */
export interface Wish extends OrderSize {
  region: Region;
  ordersPerDay: number;
  /** Percent of a day's orders that arrive, and are worked on, in the busiest hour. */
  busiestHour: number;
  /** How long a function runs on average. Most of it is the order service's time to answer. */
  seconds: number;
  /** How many days an order is open. */
  days: number;
}

/** Numbers of the stack that are charged. `test/infra/standing.test.ts` compares them with the template. */
export const inStack = { alarmMetrics: 28, dashboards: 1, polledQueues: 3 };

// Estimates: bytes of a line of the state machine's log, of what a function logs in a run, and of a record with its ledger and timeline.
const [LOG_BYTES_OF_EVENT, LOG_BYTES_OF_RUN, RECORD_BYTES] = [600, 1_200, 20_000];
/** Metrics, each with its dimensions, that a busy stage publishes. */
const METRICS = 60;
/** A sweep reads some 500 bytes of each open order. These reads cost half a unit for 4 KB. */
const READS_OF_SWEEP = 500 / 8_192;
/** Lambda polls an idle queue with five connections, each for 20 seconds at a time. */
const POLLS_OF_QUEUE_EACH_MINUTE = 5 * 3;
const [SECONDS_OF_HOUR, SECONDS_OF_DAY, MINUTES_OF_MONTH] = [3_600, 86_400, 30 * 24 * 60];

const total = (costs: Record<string, number>) => Object.values(costs).reduce((sum, cost) => sum + cost, 0);

export type Forecast = ReturnType<typeof forecast>;

/** What these orders use of the account's quotas, and what they and their stage cost in US dollars. */
export function forecast(stage: Stage, wish: Wish) {
  const { seconds, ordersPerDay } = wish;
  const order = countsOf(wish, stage.readsPerExecution);
  const peak = peakOf(wish, stage);
  const costs = costsOfOrder(order, wish);
  const costOf = (size: OrderSize) => total(costsOfOrder(countsOf(size, Number.MAX_SAFE_INTEGER), wish));
  const costsOfOneMore = (['polls', 'documents', 'toSign', 'confirms'] as const).map((part) => {
    return [part, costOf({ ...wish, [part]: wish[part] + 1 }) - costOf(wish)] as const;
  });
  const stageCosts = costsOfStage(wish, stage);
  return {
    asOf: AS_OF,
    ...wish,
    order,
    calls: { eachSecond: peak.serviceCalls, atOnce: peak.serviceCalls * seconds, bound: stage.callsAtOnce },
    /** The one that a growing number of orders meets first comes first. */
    quotas: usesOf(wish, peak),
    costs,
    costOfOrder: total(costs),
    costOfOneMore: Object.fromEntries(costsOfOneMore),
    stageCosts,
    costOfMonth: total(stageCosts) + total(costs) * ordersPerDay * 30,
  };
}

/**
 * How often each happens in a second of the busiest hour. That hour has its share of the day's orders with all their work, each read as
 * often as an hour allows. Further reads are spread evenly over the day.
 */
function peakOf(wish: Wish, { readsPerExecution, pollAfterSeconds }: Stage): OrderCounts {
  const most = Math.max(LEAST_POLLS, Math.floor(SECONDS_OF_HOUR / pollAfterSeconds.minimum));
  const inHour = countsOf({ ...wish, polls: Math.min(wish.polls, most) }, readsPerExecution);
  const rates = Object.entries(countsOf(wish, readsPerExecution)).map(([name, count]) => {
    const counted = inHour[name as keyof OrderCounts];
    const rate = ((wish.busiestHour / 100) * counted) / SECONDS_OF_HOUR + (count - counted) / SECONDS_OF_DAY;
    return [name, wish.ordersPerDay * rate];
  });
  return Object.fromEntries(rates);
}

function usesOf({ ordersPerDay, days, seconds, region }: Wish, peak: OrderCounts) {
  const peaks = { ...peak, openOrders: ordersPerDay * days, runsAtOnce: peak.runs * seconds };
  return quotas
    .map(({ quota, limit, counts }) => {
      const share = peaks[counts] / limit[region];
      return { quota, peak: peaks[counts], limit: limit[region], share, fullAt: Math.round(ordersPerDay / share) };
    })
    .sort((one, other) => other.share - one.share);
}

function costsOfOrder(counts: OrderCounts, { seconds, region }: Wish): Record<string, number> {
  const cost = (name: keyof typeof prices, units: number) => prices[name][region] * units;
  const { runs, fileRuns, uploads } = counts;
  const gigabytes = ((runs - fileRuns) * MEMORY_MEBIBYTES + fileRuns * FILE_MEMORY_MEBIBYTES) / 1024;
  const logBytes = counts.historyEvents * LOG_BYTES_OF_EVENT + runs * LOG_BYTES_OF_RUN;
  return {
    'Step Functions': cost('transition', counts.transitions),
    Lambda: cost('gigabyteSecond', gigabytes * seconds) + cost('run', runs),
    DynamoDB: cost('write', counts.dynamodbWrites) + cost('read', counts.dynamodbReads),
    S3: cost('s3Put', counts.s3Puts + uploads) + cost('s3Get', counts.s3Gets),
    // The last request has two events: the status, and the end. An upload's event is sent to its queue, received and deleted.
    'EventBridge and SQS': cost('event', uploads + counts.eventPuts + 1) + cost('sqsRequest', 3 * uploads),
    'CloudWatch Logs': cost('logByte', logBytes),
  };
}

/** What a stage costs in 30 days beside its orders. The sweep and the recovery grow with the orders that the table holds. */
function costsOfStage({ ordersPerDay, days, region }: Wish, { sweep, retention }: Stage): Record<string, number> {
  const cost = (name: keyof typeof prices, units: number) => prices[name][region] * units;
  const sweeps = MINUTES_OF_MONTH / sweep.everyMinutes;
  // Records that are kept for ever count for a year.
  const kept = retention.legalHold || retention.recordDays === 'keep' ? 365 : retention.recordDays;
  return {
    'Custom metrics': cost('metric', METRICS),
    'Alarms and dashboard': cost('alarmMetric', inStack.alarmMetrics) + cost('dashboard', inStack.dashboards),
    'Polls of idle queues': cost('sqsRequest', inStack.polledQueues * POLLS_OF_QUEUE_EACH_MINUTE * MINUTES_OF_MONTH),
    Sweeps: cost('read', sweeps * ordersPerDay * days * READS_OF_SWEEP),
    'Point-in-time recovery': cost('recoveryByte', ordersPerDay * kept * RECORD_BYTES),
  };
}
