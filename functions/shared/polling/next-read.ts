import { environmentNumber } from '../environment.ts';
import { ServiceUnavailable, Throttled, UnexpectedResponse } from '../errors.ts';
import { logger } from '../order/operator-log.ts';
import type { OrderItem } from '../order/order-item.ts';
import { loadCreatedOrder, loadOrder } from '../order/order-record.ts';
import { orderService } from '../order/order-service.ts';
import type { Order } from '../order/order-service-client.ts';
import { withPatience } from '../order/patience.ts';
import { postpone } from '../order/postpone.ts';
import { latest, secondsUntil, timeIn } from '../time.ts';
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

/** To read is safe: an answer that can't be used says nothing of the call that is looked into, and the step is run again. */
function readLater(error: Error): never {
  if (!(error instanceof UnexpectedResponse)) throw error;
  const later = new ServiceUnavailable(`${error.message} The state machine tries again.`, { cause: error });
  if (error.excerpt !== undefined) later.excerpt = error.excerpt;
  throw later;
}

/**
 * The order as the service has it now, for a step that must know what became of its call. It is a read like any other: never
 * earlier than `pollAfterSeconds` after the one before it, and the next one counts from it.
 * @throws Throttled before that time: the state machine's retry brings the step back later.
 */
export async function readForReconciliation(step: Pick<OrderItem, 'orderRef' | 'generation'>): Promise<Order> {
  // Loaded anew: the same step may have read the order already.
  const record = await loadCreatedOrder(step.orderRef, step.generation);
  const time = notReadBefore(record);
  if (secondsUntil(time) > 0) {
    throw new Throttled(
      `Order ${record.orderRef}: what became of a call is found out by reading the order, which may not be read again before ${time}. The state machine tries again.`,
    );
  }
  // The time that the function has is kept for the call itself.
  const { order } = await withPatience(record, () => orderService().readOrder(record.orderId), 0).catch(readLater);
  await recordNextRead(record.orderRef, nextReadAfter(order));
  // The answer may have taken so long that another execution drives the order.
  await loadOrder(step.orderRef, step.generation);
  return order;
}
