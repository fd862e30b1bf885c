import { FILE_MEMORY_MEBIBYTES, MEMORY_MEBIBYTES } from '../../infra/memory.ts';
import { type Definition, definitions } from '../../infra/order/function-definitions.ts';
import { countsOf, type OrderCounts, runsOf } from './order-counts.ts';
import { LEAST_POLLS, type OrderSize } from './order-size.ts';
import type { Region } from './quotas.ts';
import { passage } from './transitions.ts';

/** What to plan for. */
export interface Plan {
  region: Region;
  ordersPerDay: number;
  size: OrderSize;
  /** Percent of a day's orders that arrive, and are worked on, in the busiest hour. */
  busiestHour: number;
  /** How long a function runs on average. Nobody can count it: most of it is the order service's time to answer. */
  seconds: number;
  /** How many days an order is open. */
  days: number;
  /** The stage's settings. The second one is its `pollAfterSeconds.minimum`. */
  readsPerExecution: number;
  pollSeconds: number;
  /** The stage's bound of calls to the order service at once, if it has one. */
  callsAtOnce?: number;
}

/** What one order uses. */
export interface Use extends OrderCounts {
  transitions: number;
  executions: number;
  /** Objects that the partner puts into intake. Each is an event. */
  events: number;
  writeUnits: number;
  readUnits: number;
  gigabyteSeconds: number;
  logGigabytes: number;
}

/** A write is charged by the KB. The record of an order with three documents has between one and two. */
const UNITS_OF_WRITE = 2;
/** A read of up to 4 KB is one unit. All reads are consistent. */
const UNITS_OF_READ = 1;
/** A line of the state machine's log, without the execution's data. Estimated. */
const LOG_BYTES_OF_EVENT = 600;
/** What a function writes in one run, Lambda's own lines included. Estimated. */
const LOG_BYTES_OF_RUN = 1_200;
const GIGABYTE = 1_000_000_000;
const SECONDS_OF_HOUR = 3_600;
const SECONDS_OF_DAY = 86_400;

export function useOf(
  size: OrderSize,
  { readsPerExecution, seconds }: Pick<Plan, 'readsPerExecution' | 'seconds'>,
): Use {
  const { transitions, executions } = passage(size, readsPerExecution);
  const counts = countsOf(size, executions - 1);
  const memory = Object.entries(counts.runs).map(([name, count]) => count * memoryOf(name));
  return {
    ...counts,
    transitions,
    executions,
    events: 1 + size.documents + size.toSign,
    writeUnits: counts.dynamodbWrites * UNITS_OF_WRITE,
    readUnits: counts.dynamodbReads * UNITS_OF_READ,
    gigabyteSeconds: (memory.reduce((all, mebibytes) => all + mebibytes, 0) / 1024) * seconds,
    logGigabytes: (counts.historyEvents * LOG_BYTES_OF_EVENT + runsOf(counts) * LOG_BYTES_OF_RUN) / GIGABYTE,
  };
}

function memoryOf(functionName: string): number {
  const definition = (definitions as Record<string, Definition>)[functionName];
  return definition?.files ? FILE_MEMORY_MEBIBYTES : MEMORY_MEBIBYTES;
}

/** Returns how often something happens in a second of the busiest hour. */
export type Peak = (countOf: (use: Use) => number) => number;

/**
 * The busiest hour has its share of the day's orders, with all their work, and each is read as often as an hour allows. An order's
 * further reads are spread evenly over the time that it is open, so over the day.
 */
export function peakOf(plan: Plan, use: Use): Peak {
  const { ordersPerDay, busiestHour, size } = plan;
  const most = Math.max(LEAST_POLLS, Math.floor(SECONDS_OF_HOUR / plan.pollSeconds));
  const inHour = size.polls <= most ? use : useOf({ ...size, polls: most }, plan);
  return (countOf) => {
    const atOnce = (ordersPerDay * (busiestHour / 100) * countOf(inHour)) / SECONDS_OF_HOUR;
    return atOnce + (ordersPerDay * (countOf(use) - countOf(inHour))) / SECONDS_OF_DAY;
  };
}
