import type { OrderItem } from '../order/order-item.ts';
import { callSettings, pollSettings } from '../settings.ts';

/**
 * Seconds to wait after a read that a function of the last execution, or of the attempt before a redrive, may be making just now: its
 * call may take a whole timeout, and the wait counts from its answer. If no wait is recorded, the stage's default is used.
 */
export function waitOfReadBefore({ orderId, pollAfterSeconds }: OrderItem): number {
  if (orderId === undefined) return 0;
  const longestCall = Math.ceil(callSettings.timeoutMilliseconds / 1000);
  return longestCall + (pollAfterSeconds ?? pollSettings.defaultSeconds);
}
