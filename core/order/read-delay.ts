import { secondsUntil } from '../time.ts';
import { type OrderItem, readNotBefore } from './order-item.ts';

/** The order service's wait (`Retry-After`, `pollAfterSeconds`), or ours after an outage. */
export type Whose = 'Retry-After' | 'pollAfterSeconds' | 'outage';

/** Until when the order must not be read, and whose wait that is; undefined if there is none. */
export function readDelayOf(order: Pick<OrderItem, 'notBefore'>): { until: string; whose: Whose } | undefined {
  const until = readNotBefore(order);
  if (until === undefined || secondsUntil(until) === 0) return undefined;
  const { readAt, reason = 'pollAfterSeconds', throttled } = order.notBefore;
  return { until, whose: readAt === until ? reason : (throttled?.reason ?? 'Retry-After') };
}
