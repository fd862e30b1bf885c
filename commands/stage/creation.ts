import type { OrderItem } from '../../functions/shared/order/order-item.ts';
import { timeouts } from '../../infra/timeouts.ts';
import { CREATION, type Operation, type OrderDetails } from './record.ts';

/** The ledger's entry of the order's creation; undefined before it was begun. */
export function creationOf({ operations }: OrderDetails): Operation | undefined {
  return operations.find(({ item }) => item === CREATION);
}

/** Whether nobody knows if the service has the order: no execution may go on before an operator says. */
export function isCreationUnknown(details: OrderDetails): boolean {
  return details.order.orderId === undefined && creationOf(details)?.knowledge.state === 'open';
}

/**
 * Whether an operator's word on the creation may still be corrected: it was theirs, and the service has not answered a
 * read of the order since, so nothing was done on the strength of it.
 */
export function isCorrectable({ resolvedAt }: Operation, { status }: OrderItem): boolean {
  return resolvedAt !== undefined && status === 'RECEIVED';
}

/**
 * When the call that creates the order is certainly over, if that is after `now` (milliseconds). A function that was at work
 * when its execution was stopped goes on to its end; one that has recorded a failure has ended.
 */
export function creationOverAt({ knowledge, failure, intendedAt }: Operation, now: number): Date | undefined {
  const over = Date.parse(intendedAt) + timeouts.functionSeconds * 1000;
  return knowledge.state === 'open' && failure === undefined && over > now ? new Date(over) : undefined;
}
