import type { SimulatedOrder, Simulator } from '@business-loan-orders/order-simulator';

/** Finds orders at the service by the orderRef, which the packages of the simulation contain in their order data. */
export class References {
  readonly #simulator: Simulator;
  readonly #known = new Map<string, string>();

  constructor(simulator: Simulator) {
    this.#simulator = simulator;
  }

  static of(orderData: unknown): string | undefined {
    const reference = (orderData as { reference?: unknown } | undefined)?.reference;
    return typeof reference === 'string' ? reference : undefined;
  }

  /** Called when the service has created an order with this orderRef. */
  created(orderRef: string, orderId: string): void {
    this.#known.set(orderRef, orderId);
  }

  /** The last order created with this orderRef. There should be only one. */
  order(orderRef: string): SimulatedOrder | undefined {
    const orderId = this.#known.get(orderRef);
    return orderId === undefined ? undefined : this.#simulator.order(orderId);
  }
}

/** Restores the last read after a read that does not count: its answer was lost, or its function could not finish. */
export function restoreLastRead(order: SimulatedOrder, lastRead: SimulatedOrder['lastRead']): void {
  if (lastRead) order.lastRead = lastRead;
  else delete order.lastRead;
}
