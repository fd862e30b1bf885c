import { Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { callWithPatience, type Patience, refuseUntil } from '../service/retry-after.ts';
import { recoverySettings } from '../settings.ts';
import { latest } from '../time.ts';
import { endThrottling, postponeCalls, throttledSince } from './not-before.ts';
import type { OrderToCallFor } from './order-record.ts';
import { heldUntil, isPaused } from './stage-pause.ts';

const MILLISECONDS_PER_HOUR = 3_600_000;

/**
 * Calls the order service and obeys `Retry-After`, as {@link callWithPatience} does. The wait goes into the order's record, which every
 * later step reads.
 * @throws Throttled, and what `call` throws.
 */
export async function withPatience<Result>(order: OrderToCallFor, call: () => Promise<Result>): Promise<Result> {
  refuseWhilePaused(order);
  const patience = patienceOf(order, throttledSince(order) ?? new Date().toISOString());
  const result = await callWithPatience({ ...patience, record: (until) => postponeCalls(order, until) }, call);
  // A failure here does not undo the call: the next answered call records it.
  await endThrottling(order).catch(({ name }: Error) =>
    logger.warn('The end of the throttling could not be recorded', { error: name }),
  );
  return result;
}

/** Milliseconds. The wait grows with the outage, so that each try doubles the time until the next. */
const SHORTEST_WAIT = 300_000;
const LONGEST_WAIT = 3_600_000;

/**
 * Delays an accept or a confirm that an outage prevented, as after a `Retry-After`: at growing intervals, for as long as the stage has
 * patience. Otherwise each 503 would start another settling time at once, without end.
 * @param settledAt when a believed read showed that nothing was done.
 * @throws Throttled while it must wait.
 */
export async function waitAfterOutage(order: OrderToCallFor, settledAt: string): Promise<void> {
  const since = throttledSince(order) ?? settledAt;
  const lasted = Date.parse(settledAt) - Date.parse(since);
  const next = Date.parse(settledAt) + Math.min(Math.max(lasted, SHORTEST_WAIT), LONGEST_WAIT);
  if (next <= Date.now()) return;
  const until = new Date(next).toISOString();
  await postponeCalls(order, until, 'outage');
  refuseUntil({ ...patienceOf(order, since), throttledUntil: until });
}

/** @throws Throttled while the order service asks us to back off, or while the stage's pause holds the order. */
export function refuseWhileThrottled(order: OrderToCallFor): void {
  refuseWhilePaused(order);
  refuseUntil(patienceOf(order));
}

/**
 * After a redrive nothing is sent before a read: the last one may be days old, and the service could take our accept as one of a later round.
 * @throws Throttled until the order was read since the redrive.
 */
export function refuseUnread({ orderRef, stoppedAt }: OrderToCallFor): void {
  if (stoppedAt === undefined) return;
  const call = { postponedUntil: new Date().toISOString() };
  throw new Throttled(`Order ${orderRef}: its execution was redriven, so the order is read first. Nothing was sent.`, {
    call,
  });
}

/** The state machine waits for a resumed stage as it waits after a `Retry-After`, but its patience never ends. */
function refuseWhilePaused({ pause, ...order }: OrderToCallFor): void {
  const until = heldUntil(pause, order);
  if (until === undefined) return;
  const why = isPaused(pause) ? 'the stage is paused' : `the stage was resumed, and this order goes on at ${until}`;
  throw new Throttled(`Order ${order.orderRef}: ${why}. Nothing was sent.`, { call: { postponedUntil: until } });
}

function patienceOf(order: OrderToCallFor, throttled = throttledSince(order)): Omit<Patience, 'record'> {
  const { orderRef, notBefore, pause } = order;
  const throttledUntil = notBefore.throttled?.backOffUntil;
  const isPostponable = (until: string) => {
    // No call was made during a pause, so it does not use up the patience.
    const since = throttled && latest(throttled, pause?.resumedAt);
    const waits = Date.parse(until) - (since === undefined ? Date.now() : Date.parse(since));
    return waits <= recoverySettings.outagePatienceHours * MILLISECONDS_PER_HOUR;
  };
  return { subject: `Order ${orderRef}`, service: 'the order service', throttledUntil, isPostponable };
}
