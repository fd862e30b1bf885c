import type { DeliveryWrapper } from '@business-loan-orders/embedded-aws';
import type { SimulatedWorld } from '../world/simulated-world.ts';

/** Delivers events twice, late and in another sequence, as each order's plan says. */
export class Deliveries {
  readonly #world: SimulatedWorld;
  readonly #seen = new Map<string, number>();

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Only events of signatures and decisions are lost. S3 and EventBridge deliver at least once, but a rule may be disabled for a while. */
  #isLost(orderRef: string, { object }: EventDetail, lost: number): boolean {
    if (!/\/(signatures\/|decision\.json$)/.test(object?.key ?? '')) return false;
    const key = `${orderRef} brought`;
    const position = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, position);
    return position === lost;
  }

  readonly wrapper: DeliveryWrapper = (event, deliver) => {
    const { plans, clock, injected } = this.#world;
    const orderRef = orderOf(event.detail as EventDetail);
    const position = (this.#seen.get(orderRef) ?? 0) + 1;
    this.#seen.set(orderRef, position);
    const events = plans.get(orderRef)?.events;
    if (events?.lost !== undefined && this.#isLost(orderRef, event.detail as EventDetail, events.lost)) {
      injected.add('event: lost');
      return;
    }
    if (events?.late !== undefined && position % LATE_EVERY === 0) {
      injected.add('event: very late');
      clock.setTimeout(deliver, events.late * 1000);
      return;
    }
    const planned = plans.get(orderRef)?.deliveries.find((delivery) => delivery.position === position);
    if (!planned) return deliver();
    for (const [copy, delay] of planned.delays.entries()) {
      if (copy > 0) injected.add('event: delivered again');
      if (delay > 0) injected.add('event: late, after others');
      clock.setTimeout(deliver, delay * 1000);
    }
  };
}

/** If the plan makes events very late, one in this many is. */
const LATE_EVERY = 4;

interface EventDetail {
  object?: { key: string };
  input?: string;
}

/** The orderRef of an event about an object in intake or about an execution that ended. */
function orderOf({ object, input = '{}' }: EventDetail): string {
  const reference = object?.key.split('/')[1] ?? (JSON.parse(input) as { orderRef?: string }).orderRef;
  return reference ?? '';
}
