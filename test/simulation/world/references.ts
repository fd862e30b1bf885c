import type { SimulatedOrder, Simulator } from '../../../simulator/index.ts';

/** Finds the service's orders by the reference of ours that the packages of the simulation carry in their order data. */
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

  /** The service has created an order under this reference. */
  created(orderRef: string, orderId: string): void {
    this.#known.set(orderRef, orderId);
  }

  /** The order that was created last under this reference: the only one, if all is well. */
  order(orderRef: string): SimulatedOrder | undefined {
    const orderId = this.#known.get(orderRef);
    return orderId === undefined ? undefined : this.#simulator.order(orderId);
  }
}

/** Takes a read back that told us nothing: its answer was lost, or the function that made it could not finish. */
export function restoreLastRead(order: SimulatedOrder, lastRead: SimulatedOrder['lastRead']): void {
  if (lastRead) order.lastRead = lastRead;
  else delete order.lastRead;
}
