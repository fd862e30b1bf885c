import type { OrderItem } from '../order/order-item.ts';
import type { Order } from '../order-service/order-service-client.ts';
import { LONGEST_WAIT_SECONDS, timeIn } from '../time.ts';
import type { ReadingRules } from './rules.ts';

/** When the order may be read next: the wait in seconds, and the time. */
export interface NextRead {
  pollAfterSeconds: number;
  nextReadAt: string;
}

/**
 * Computes the next read from an answer that has just arrived: `pollAfterSeconds` counts from then (specification, 8.2).
 * @param now when it arrived, in milliseconds since the epoch.
 */
export function nextReadAfter(sent: unknown, rules: PollRules, now: number): NextRead {
  const { seconds } = secondsToWait(sent, rangeIn(rules));
  return { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds, now) };
}

/** What is unusual about the service's value, for the log. */
export function remarkOn(sent: unknown, rules: PollRules): string | undefined {
  return secondsToWait(sent, rangeIn(rules)).remark;
}

const rangeIn = ({ minimumSeconds: minimum, defaultSeconds: fallback, longSeconds: long }: PollRules): PollRange => ({
  minimum,
  fallback,
  long,
});

type PollRules = Pick<ReadingRules, 'minimumSeconds' | 'defaultSeconds' | 'longSeconds'>;

/**
 * The seconds to wait if there is nothing to do but to wait for another status. The record and `nextReadAt` keep the service's
 * wait, because a read after that time is allowed.
 */
export function grownSeconds({
  record: { status, statusSince },
  order,
  next: { pollAfterSeconds },
  rules: { pollGrowth },
  now,
}: {
  record: Pick<OrderItem, 'status' | 'statusSince'>;
  order: Pick<Order, 'status'>;
  next: Pick<NextRead, 'pollAfterSeconds'>;
  rules: Pick<ReadingRules, 'pollGrowth'>;
  now: number;
}): number {
  if (order.status !== status || statusSince === undefined) return pollAfterSeconds;
  return grownWait(pollAfterSeconds, (now - Date.parse(statusSince)) / 1000, pollGrowth);
}

/** The stage's limits for `pollAfterSeconds`, in seconds. The specification (8.5) does not show its range. */
export interface PollRange {
  minimum: number;
  /** Used if the service sends no usable value. */
  fallback: number;
  /** A longer wait is obeyed, but logged. */
  long: number;
}

/**
 * The seconds to wait before the next read: the service's value, rounded up, and at least the minimum. `remark` describes an
 * unusual value for the log. No value fails an order.
 */
export function secondsToWait(
  sent: unknown,
  { minimum, fallback, long }: PollRange,
): { seconds: number; remark?: string } {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) {
    return { seconds: fallback, remark: `pollAfterSeconds is ${kindOf(sent)}; waiting ${fallback} s` };
  }
  const seconds = Math.min(Math.max(Math.ceil(number), minimum), LONGEST_WAIT_SECONDS);
  return seconds === sent && seconds <= long
    ? { seconds }
    : { seconds, remark: `pollAfterSeconds is ${kindOf(sent)}; waiting ${seconds} s` };
}

/**
 * A wait never grows beyond a day. So `readsPerExecution` such waits fit into the year that an execution may last, and no
 * change is learned of later than that.
 */
export const LONGEST_GROWN_WAIT_SECONDS = 86_400;

/**
 * The seconds to wait while an order stays in a status: the service's wait, or a share of the time that the order has been in
 * the status, if that is more.
 * @param growth the share: with 0.05 a change is learned of at most 5 % late. 0 switches the growth off.
 */
export function grownWait(seconds: number, secondsInStatus: number, growth: number): number {
  const grown = Math.min(Math.floor(secondsInStatus * growth), LONGEST_GROWN_WAIT_SECONDS);
  return Math.max(seconds, grown);
}

function kindOf(sent: unknown): string {
  if (sent === undefined) return 'missing';
  if (typeof sent === 'string') return 'a string';
  return typeof sent === 'number' ? `${sent}` : 'not a number';
}
