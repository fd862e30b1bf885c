import type { SimulatedOrder, Simulator } from '../simulator/index.ts';

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

  /** The order that was created last under this reference. */
  order(orderRef: string): SimulatedOrder | undefined {
    const known = this.#known.get(orderRef);
    if (known !== undefined) return this.#simulator.order(known);
    const found = this.all(orderRef).at(-1);
    if (found) this.#known.set(orderRef, found.orderId);
    return found;
  }

  /** Every order that was created under this reference: one, if all is well. */
  all(orderRef: string): SimulatedOrder[] {
    return this.#simulator.orders().filter(({ questionnaire }) => References.of(questionnaire) === orderRef);
  }
}

/** Takes a read back that told us nothing: its answer was lost, or the function that made it could not finish. */
export function restoreLastRead(order: SimulatedOrder, lastRead: SimulatedOrder['lastRead']): void {
  if (lastRead) order.lastRead = lastRead;
  else delete order.lastRead;
}
