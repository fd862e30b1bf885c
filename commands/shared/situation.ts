import type { OrderItem } from '../../core/order/order-item.ts';
import { readNotBefore } from '../../core/order/order-item.ts';
import { type Execution, runningOf } from './executions.ts';
import { isCreationUnknown, type OrderDetails } from './order-details.ts';

/** What keeps an order from its end. Each situation needs another step by people. */
export type Situation =
  /** An execution drives the order. */
  | 'running'
  | 'dismissed'
  /** Nobody knows whether the service has the order. */
  | 'creation unknown'
  | 'over'
  /** An outage stopped the order; it goes on by itself. */
  | 'outage'
  /** No execution drives the order. */
  | 'stopped';

export function situationOf(details: OrderDetails, executions: Execution[]): Situation {
  const { waitingFor, dismissed } = details.order;
  if (runningOf(executions)) return 'running';
  if (dismissed) return 'dismissed';
  if (isCreationUnknown(details)) return 'creation unknown';
  if (waitingFor === 'nobody') return 'over';
  return nextTryOf(details.order) ? 'outage' : 'stopped';
}

/** When the sweep starts the order again after an outage. */
export function nextTryOf({ failure, resume }: OrderItem): OrderItem['resume'] {
  return failure && resume;
}

/** The time before which the order must not be read or called, if it is in the future. */
export function nextReadOf(order: OrderItem): string | undefined {
  const nextReadAt = readNotBefore(order);
  return nextReadAt !== undefined && Date.parse(nextReadAt) > Date.now() ? nextReadAt : undefined;
}
