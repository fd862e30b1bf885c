import type { SimulatedOrder, Simulator } from '@business-loan-orders/order-simulator';

/** The orderRef, which the packages of the simulation contain in their order data. */
export function referenceIn(orderData: unknown): string | undefined {
  const reference = (orderData as { reference?: unknown } | undefined)?.reference;
  return typeof reference === 'string' ? reference : undefined;
}

/** The last order that the service created with this orderRef. There should be only one. */
export function orderAt(simulator: Simulator, orderRef: string): SimulatedOrder | undefined {
  return simulator.orders().findLast(({ questionnaire }) => referenceIn(questionnaire) === orderRef);
}

/** Restores the last read after a read that does not count: its answer was lost, or its function could not finish. */
export function restoreLastRead(order: SimulatedOrder, lastRead: SimulatedOrder['lastRead']): void {
  if (lastRead) order.lastRead = lastRead;
  else delete order.lastRead;
}
