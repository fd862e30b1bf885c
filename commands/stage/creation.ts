import { CREATION, type OperationEntry, type OrderDetails } from './record.ts';

/** The ledger entry for the order's creation, or undefined before it has started. */
export function creationOf({ operations }: OrderDetails): OperationEntry | undefined {
  return operations.find(({ item }) => item === CREATION);
}

/** Whether it is unknown if the service has the order. Then no execution may continue until an operator resolves it. */
export function isCreationUnknown(details: OrderDetails): boolean {
  return details.order.orderId === undefined && creationOf(details)?.knowledge.state === 'open';
}
