import type { OrderItem } from '../order/order-item.ts';
import { postpone } from '../order/postpone.ts';
import type { Order } from '../order-service/order-service-client.ts';
import { logger } from '../people/operator-log.ts';
import { pollSettings, readSettings } from '../settings.ts';
import { latest, timeIn } from '../time.ts';
import { grownWait, secondsToWait } from './poll.ts';

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
 * @param known the record before this read.
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
