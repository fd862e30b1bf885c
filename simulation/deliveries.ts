import type { Clock, DeliveryWrapper } from '../local/aws/index.ts';
import type { OrderPlan } from './plan.ts';
import type { Tally } from './tally.ts';

/** Events that come twice, late and in another order, as each order's plan has them. */
export class Deliveries {
  readonly #plans: ReadonlyMap<string, OrderPlan>;
  readonly #clock: Clock;
  readonly #injected: Tally;
  readonly #seen = new Map<string, number>();

  constructor(plans: ReadonlyMap<string, OrderPlan>, clock: Clock, injected: Tally) {
    this.#plans = plans;
    this.#clock = clock;
    this.#injected = injected;
  }

  readonly wrapper: DeliveryWrapper = (event, deliver) => {
    const orderRef = orderOf(event.detail as EventDetail);
    const position = (this.#seen.get(orderRef) ?? 0) + 1;
    this.#seen.set(orderRef, position);
    const planned = this.#plans.get(orderRef)?.deliveries.find((delivery) => delivery.position === position);
    if (!planned) return deliver();
    for (const [copy, delay] of planned.delays.entries()) {
      if (copy > 0) this.#injected.add('event: delivered again');
      if (delay > 0) this.#injected.add('event: late, behind others');
      this.#clock.setTimeout(deliver, delay * 1000);
    }
  };
}

interface EventDetail {
  object?: { key: string };
  input?: string;
}

/** Of an object in intake, or of an execution that ended. */
function orderOf({ object, input = '{}' }: EventDetail): string {
  const reference = object?.key.split('/')[1] ?? (JSON.parse(input) as { orderRef?: string }).orderRef;
  return reference ?? '';
}
