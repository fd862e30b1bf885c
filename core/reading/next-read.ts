import type { OrderItem } from '../order/order-item.ts';
import { postpone } from '../order/throttling.ts';
import type { Order } from '../order-service/order-service-client.ts';
import { logger } from '../people/operator-log.ts';
import { pollSettings, readSettings } from '../settings.ts';
import { LONGEST_WAIT_SECONDS, latest, timeIn } from '../time.ts';

/** When the order may be read next: the wait in seconds, and the time. */
export interface NextRead {
  pollAfterSeconds: number;
  nextReadAt: string;
}

/** Computes the next read from an answer that has just arrived: `pollAfterSeconds` counts from now (specification, 8.2). */
export function nextReadAfter(order: Order): NextRead {
  const { seconds, remark } = secondsToWait(order.pollAfterSeconds, {
    minimum: pollSettings.minimumSeconds,
    fallback: pollSettings.defaultSeconds,
    long: pollSettings.longSeconds,
  });
  if (remark) logger.warn(remark);
  return { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds) };
}

/**
 * The seconds to wait if there is nothing to do but to wait for another status. The record and `nextReadAt` keep the service's
 * wait, because a read after that time is allowed.
 */
export function grownSeconds(
  { pollAfterSeconds }: NextRead,
  known: Pick<OrderItem, 'status' | 'statusSince'>,
  status: string,
): number {
  if (status !== known.status || known.statusSince === undefined) return pollAfterSeconds;
  const secondsInStatus = (Date.now() - Date.parse(known.statusSince)) / 1000;
  return grownWait(pollAfterSeconds, secondsInStatus, readSettings.pollGrowth);
}

/** Records when the order may be read next. Never makes it earlier ({@link postpone}). */
export async function recordNextRead(orderRef: string, { nextReadAt, ...facts }: NextRead): Promise<void> {
  await postpone(orderRef, 'nextReadAt', nextReadAt, facts);
}

/** The recorded time before which the order must not be read; undefined if none is recorded. */
export function notReadBefore({
  nextReadAt,
  throttledUntil,
}: Pick<OrderItem, 'nextReadAt' | 'throttledUntil'>): string | undefined {
  return latest(nextReadAt, throttledUntil);
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
