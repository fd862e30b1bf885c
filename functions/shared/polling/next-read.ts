import { environmentNumber } from '../environment.ts';
import { logger } from '../order/operator-log.ts';
import type { OrderItem } from '../order/order-item.ts';
import type { Order } from '../order/order-service-client.ts';
import { postpone } from '../order/postpone.ts';
import { latest, timeIn } from '../time.ts';
import { secondsToWait } from './poll.ts';

/** What a read says of the next one: the wait in seconds, and the time before which nobody reads. */
export interface NextRead {
  pollAfterSeconds: number;
  nextReadAt: string;
}

/** Counts from now, when the answer has just come: `pollAfterSeconds` is the wait between two reads (specification, 8.2). */
export function nextReadAfter(order: Order): NextRead {
  const { seconds, remark } = secondsToWait(order.pollAfterSeconds, {
    minimum: environmentNumber('POLL_MINIMUM_SECONDS'),
    fallback: environmentNumber('POLL_DEFAULT_SECONDS'),
    long: environmentNumber('LONG_WAIT_SECONDS'),
  });
  if (remark) logger.warn(remark);
  return { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds) };
}

/** Records what a read said of the next one: see {@link postpone}. */
export async function recordNextRead(orderRef: string, { nextReadAt, ...facts }: NextRead): Promise<void> {
  await postpone(orderRef, 'nextReadAt', nextReadAt, facts);
}

/** The time before which the order is not to be read, by its record; undefined where nothing is known. */
export function notReadBefore({
  nextReadAt,
  throttledUntil,
}: Pick<OrderItem, 'nextReadAt' | 'throttledUntil'>): string | undefined {
  return latest(nextReadAt, throttledUntil);
}
