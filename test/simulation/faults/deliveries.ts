import type { Clock, DeliveryWrapper } from '../../../packages/embedded-aws/index.ts';
import type { OrderPlan } from '../plan/order-plan.ts';
import type { Tally } from '../world/tally.ts';

/** Delivers events twice, late and in another sequence, as each order's plan says. */
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

  /** Only events of signatures and decisions are lost. S3 and EventBridge deliver at least once, but a rule may be disabled for a while. */
  #isLost(orderRef: string, { object }: EventDetail, lost: number): boolean {
    if (!/\/(signatures\/|decision\.json$)/.test(object?.key ?? '')) return false;
    const key = `${orderRef} brought`;
    const position = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, position);
    return position === lost;
  }

  readonly wrapper: DeliveryWrapper = (event, deliver) => {
    const orderRef = orderOf(event.detail as EventDetail);
    const position = (this.#seen.get(orderRef) ?? 0) + 1;
    this.#seen.set(orderRef, position);
    const events = this.#plans.get(orderRef)?.events;
    if (events?.lost !== undefined && this.#isLost(orderRef, event.detail as EventDetail, events.lost)) {
      this.#injected.add('event: lost');
      return;
    }
    if (events?.late !== undefined && position % LATE_EVERY === 0) {
      this.#injected.add('event: very late');
      this.#clock.setTimeout(deliver, events.late * 1000);
      return;
    }
    const planned = this.#plans.get(orderRef)?.deliveries.find((delivery) => delivery.position === position);
    if (!planned) return deliver();
    for (const [copy, delay] of planned.delays.entries()) {
      if (copy > 0) this.#injected.add('event: delivered again');
      if (delay > 0) this.#injected.add('event: late, after others');
      this.#clock.setTimeout(deliver, delay * 1000);
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
