import type { OrderItem } from '../order/order-item.ts';
import type { Order } from '../order-service/order-service-client.ts';
import { callSettings, pollSettings } from '../settings.ts';
import { LONGEST_SLEEP_SECONDS, LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../time.ts';
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
  const { seconds } = secondsToWait(sent, rules);
  return { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds, now) };
}

/** The stage's limits for `pollAfterSeconds`. The specification (8.5) does not show its range. A longer wait than `longSeconds` is logged. */
type PollRules = Pick<ReadingRules, 'minimumSeconds' | 'defaultSeconds' | 'longSeconds'>;

/**
 * Seconds to wait after a read that may still be in progress in a function of the last execution or of the attempt before a redrive: its
 * call may take a whole timeout, and the wait counts from its answer. If no wait is recorded, the stage's default is used.
 * @param at when that execution or attempt was last known to run, in milliseconds since the epoch.
 */
export function waitOfReadBefore({ orderId, pollAfterSeconds, notBefore }: OrderItem, at: number): number {
  if (orderId === undefined) return 0;
  const longestCall = Math.ceil(callSettings.timeoutMilliseconds / 1000);
  // No read is made before the recorded time.
  if (secondsUntil(notBefore.readAt, at) > longestCall) return 0;
  return longestCall + (pollAfterSeconds ?? pollSettings.defaultSeconds);
}

/**
 * The next sleep of an execution in a wait that is in the record. The wait is over only after its last sleep: without `nextReadAt`, the next
 * read compares the record with the clock.
 */
export function sleepOf(seconds: number): Pick<NextRead, 'pollAfterSeconds'> & Partial<NextRead> {
  if (seconds <= LONGEST_SLEEP_SECONDS) return { pollAfterSeconds: seconds };
  return { pollAfterSeconds: LONGEST_SLEEP_SECONDS, nextReadAt: '' };
}

/**
 * The seconds to wait if there is nothing to do but to wait for another status. The record and `nextReadAt` keep the service's
 * wait, because a read after that time is allowed.
 */
export function grownSeconds({
  record: { status, statusSince },
  order,
  wait: { pollAfterSeconds },
  rules: { pollGrowth },
  now,
}: {
  record: Pick<OrderItem, 'status' | 'statusSince'>;
  order: Pick<Order, 'status'>;
  wait: Pick<NextRead, 'pollAfterSeconds'>;
  rules: Pick<ReadingRules, 'pollGrowth'>;
  now: number;
}): number {
  if (order.status !== status || statusSince === undefined) return pollAfterSeconds;
  return grownWait(pollAfterSeconds, (now - Date.parse(statusSince)) / 1000, pollGrowth);
}

/**
 * The seconds to wait before the next read: the service's value, rounded up, and at least the minimum. `remark` describes an
 * unusual value for the log. No value fails an order.
 */
export function secondsToWait(
  sent: unknown,
  { minimumSeconds, defaultSeconds, longSeconds }: PollRules,
): { seconds: number; remark?: string } {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) {
    const remark = `pollAfterSeconds is ${kindOf(sent)}; waiting ${defaultSeconds} s`;
    return { seconds: defaultSeconds, remark };
  }
  const seconds = Math.min(Math.max(Math.ceil(number), minimumSeconds), LONGEST_WAIT_SECONDS);
  return seconds === sent && seconds <= longSeconds
    ? { seconds }
    : { seconds, remark: `pollAfterSeconds is ${kindOf(sent)}; waiting ${seconds} s` };
}

/**
 * A wait never grows beyond a day. So `READS_PER_EXECUTION` such waits fit into the year that an execution may last, and every change is
 * noticed within a day, unless the service asks for a longer wait.
 */
export const LONGEST_GROWN_WAIT_SECONDS = 86_400;

/**
 * The seconds to wait while an order stays in a status: the service's wait, or a share of the time that the order has been in the status,
 * if that is more.
 * @param growth the share: with 0.05 a change is noticed at most 5 % late. 0 turns the growth off.
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
