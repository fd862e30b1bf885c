import { updateOrder } from '../aws/order-table.ts';
import { Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { callWithPatience, type Patience, refuseUntil } from '../service/retry-after.ts';
import { recoverySettings } from '../settings.ts';
import { latest } from '../time.ts';
import type { OrderItem } from './order-item.ts';
import { loadOrderToCallFor, type OrderToCallFor } from './order-record.ts';
import { heldUntil, isPaused } from './stage-pause.ts';

const MILLISECONDS_PER_HOUR = 3_600_000;

/** The order as it was read when the step began. */
export type PatientOrder = Pick<
  OrderToCallFor,
  'orderRef' | 'createdAt' | 'generation' | 'throttledUntil' | 'throttledSince' | 'pause'
>;

/**
 * Calls the order service and obeys `Retry-After`, as {@link callWithPatience} does. A long wait goes into the order's record,
 * which every later step reads. After a short wait, stops if another execution drives the order by now, or if the stage is
 * paused by now.
 * @throws Superseded or Throttled then, and what {@link callWithPatience} throws.
 */
export async function withPatience<Result>(order: PatientOrder, call: () => Promise<Result>): Promise<Result> {
  refuseWhilePaused(order);
  const { orderRef, generation } = order;
  const throttledSince = order.throttledSince ?? new Date().toISOString();
  const record = (throttledUntil: string) => postpone(orderRef, 'throttledUntil', throttledUntil, { throttledSince });
  const checkAgain = async () => refuseWhilePaused(await loadOrderToCallFor(orderRef, generation));
  const patience = { ...patienceOf({ ...order, throttledSince }), record, checkAgain };
  const result = await callWithPatience(patience, call);
  if (order.throttledSince !== undefined) await forgetThrottling(orderRef, order.throttledSince);
  return result;
}

/** @throws Throttled while the order service asks us to back off, or while the stage's pause holds the order. */
export function refuseWhileThrottled(order: PatientOrder): void {
  refuseWhilePaused(order);
  refuseUntil(patienceOf(order));
}

/** The state machine waits for a resumed stage as it waits after a long `Retry-After`, but its patience never ends. */
function refuseWhilePaused({ pause, ...order }: PatientOrder): void {
  const until = heldUntil(pause, order);
  if (until === undefined) return;
  const why = isPaused(pause) ? 'the stage is paused' : `the stage was resumed, and this order goes on at ${until}`;
  throw new Throttled(`Order ${order.orderRef}: ${why}. Nothing was sent.`, { call: { postponedUntil: until } });
}

/**
 * Records that a call was answered, so that the stage's patience starts again. Keeps a newer `throttledSince`. If this fails, the call is
 * done all the same: the next answered call records it.
 */
async function forgetThrottling(orderRef: string, since: string): Promise<void> {
  await updateOrder(orderRef, { throttledSince: undefined }, '#throttledSince = :since', { ':since': since }).catch(
    ({ name }: Error) => logger.warn('The end of the throttling could not be recorded', { error: name }),
  );
}

function patienceOf(order: PatientOrder): Omit<Patience, 'record'> {
  const { orderRef, throttledUntil, throttledSince, pause } = order;
  const isPostponable = (until: string) => {
    // No call was made during a pause, so it does not use up the patience.
    const since = throttledSince && latest(throttledSince, pause?.resumedAt);
    const waits = Date.parse(until) - (since === undefined ? Date.now() : Date.parse(since));
    return waits <= recoverySettings.outagePatienceHours * MILLISECONDS_PER_HOUR;
  };
  return { subject: `Order ${orderRef}`, service: 'the order service', throttledUntil, isPostponable };
}

/**
 * Records the time before which the order must not be read, or the service not be called. Never replaces a later time. Any
 * execution may record it, also one that does not drive the order any more.
 * @param facts recorded with the time.
 */
export async function postpone(
  orderRef: string,
  name: 'nextReadAt' | 'throttledUntil',
  time: string,
  facts: Pick<Partial<OrderItem>, 'pollAfterSeconds' | 'throttledSince'> = {},
): Promise<void> {
  const isLater = `(attribute_not_exists(#${name}) OR #${name} < :${name})`;
  await updateOrder(orderRef, { ...facts, [name]: time }, `attribute_exists(orderRef) AND ${isLater}`);
}

/**
 * Records that a read was made after `throttledUntil`. The steps that follow it run on other machines: with a clock that is
 * behind, one of them would still wait, and the choices behind it would be confirmed first.
 */
export async function endPostponement<Item extends OrderItem>(record: Item): Promise<Item> {
  const { orderRef, throttledUntil } = record;
  if (throttledUntil === undefined) return record;
  const changes = { throttledUntil: undefined };
  const values = { ':until': throttledUntil };
  return (await updateOrder(orderRef, changes, '#throttledUntil = :until', values))
    ? { ...record, ...changes }
    : record;
}
