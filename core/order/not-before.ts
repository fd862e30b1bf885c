import { updateOrder } from '../aws/order-table.ts';
import { attemptNumber, type NotBefore, type OrderItem, type Throttling } from './order-item.ts';

/** Since when the service has turned the order's calls away. A person's retry restarts the stage's patience. */
export function throttledSince({ notBefore, retriedIn = 1 }: Pick<OrderItem, 'notBefore' | 'retriedIn'>) {
  const { throttled } = notBefore;
  return throttled && throttled.generation >= retriedIn ? throttled.since : undefined;
}

/** Records that the order must not be read before this time. Never replaces a later time. Any execution may record it. */
export async function postponeReads(orderRef: string, readAt: string, reason?: NotBefore['reason']): Promise<void> {
  const isLater = '(attribute_not_exists(#notBefore.#readAt) OR #notBefore.#readAt < :notBefore_readAt)';
  const changes = { 'notBefore.readAt': readAt, 'notBefore.reason': reason };
  await updateOrder(orderRef, changes, `attribute_exists(orderRef) AND ${isLater}`);
}

/** Records that no step may call the service before this time. Never replaces a later time. Any execution may record it. */
export async function postponeCalls(
  order: Pick<OrderItem, 'orderRef' | 'generation' | 'redrives' | 'notBefore' | 'retriedIn'>,
  backOffUntil: string,
  reason?: Throttling['reason'],
): Promise<void> {
  const { orderRef } = order;
  const generation = attemptNumber(order);
  const since = throttledSince(order) ?? new Date().toISOString();
  const recorded = '#notBefore.#throttled.backOffUntil';
  const isLater = `(attribute_not_exists(${recorded}) OR ${recorded} < :until)`;
  const changes = { 'notBefore.throttled': { since, generation, backOffUntil, reason } };
  await updateOrder(orderRef, changes, `attribute_exists(orderRef) AND ${isLater}`, { ':until': backOffUntil });
}

/** Records that a call was answered, which restarts the stage's patience. A newer wait is not removed. */
export async function endThrottling({ orderRef, notBefore }: Pick<OrderItem, 'orderRef' | 'notBefore'>): Promise<void> {
  const { throttled } = notBefore;
  if (!throttled) return;
  const { condition, values } = sameNotBefore({ notBefore }, { notBefore: undefined });
  await updateOrder(orderRef, { 'notBefore.throttled': undefined }, condition, values);
}

/**
 * The condition that no other wait was recorded since the order was read.
 * @param changes the attributes that the same write changes.
 */
export function sameNotBefore({ notBefore }: Pick<OrderItem, 'notBefore'>, changes: object) {
  const name = 'notBefore' in changes ? '#notBefore' : 'notBefore';
  const { readAt, throttled }: NotBefore = notBefore;
  const recorded = { readAt, 'throttled.since': throttled?.since, 'throttled.backOffUntil': throttled?.backOffUntil };
  const condition = Object.entries(recorded).map(([member, value], position) =>
    value === undefined ? `attribute_not_exists(${name}.${member})` : `${name}.${member} = :recorded${position}`,
  );
  const values = Object.values(recorded).map((value, position) => [`:recorded${position}`, value]);
  return {
    condition: condition.join(' AND '),
    values: Object.fromEntries(values) as Record<string, string | undefined>,
  };
}
