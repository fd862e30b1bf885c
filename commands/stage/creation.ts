import type { OrderItem } from '../../core/order/order-item.ts';
import { timeouts } from '../../infra/timeouts.ts';
import { CREATION, type OperationEntry, type OrderDetails } from './record.ts';

/** The ledger entry for the order's creation, or undefined before it has started. */
export function creationOf({ operations }: OrderDetails): OperationEntry | undefined {
  return operations.find(({ item }) => item === CREATION);
}

/** Whether it is unknown if the service has the order. Then no execution may continue until an operator resolves it. */
export function isCreationUnknown(details: OrderDetails): boolean {
  return details.order.orderId === undefined && creationOf(details)?.knowledge.state === 'open';
}

/**
 * Whether an operator may still correct what an operator recorded about the creation: the service has not answered a read of
 * the order since, so nothing relies on it yet.
 */
export function isCorrectable({ resolvedAt }: OperationEntry, { status }: OrderItem): boolean {
  return resolvedAt !== undefined && status === 'RECEIVED';
}

/**
 * When the call that creates the order is certainly over, if that is after `now` (milliseconds); otherwise undefined. A
 * function finishes even if its execution is stopped, so the call may be under way until the function's timeout.
 */
export function creationOverAt({ knowledge, failure, intendedAt }: OperationEntry, now: number): Date | undefined {
  const over = Date.parse(intendedAt) + timeouts.functionSeconds * 1000;
  return knowledge.state === 'open' && failure === undefined && over > now ? new Date(over) : undefined;
}
