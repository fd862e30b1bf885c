import type { DeliveryWrapper, InvokeWrapper } from '@business-loan-orders/embedded-aws';
import type { OrderPlan } from '../plan/order-plan.ts';
import { BEGINNING } from '../world/schedule.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';

/** Hours of the day, from and to. */
const OUTAGE = { from: 8, to: 11 };
const THROTTLED_ACCOUNT = { from: 14, to: 15 };
const HOUR = 3_600_000;
/** Of the invocations while the account is throttled, one in this many is served. */
const SERVED = 3;
/** Of the calls during the outage, one in this many is answered with `Retry-After`. */
const PATIENT = 12;

export function isBadDay(plans: ReadonlyMap<string, OrderPlan>): boolean {
  return [...plans.values()].some(({ badDay }) => badDay !== undefined);
}

/**
 * A day on which the order service is down for three hours, Lambda throttles most invocations for an hour, and no event tells of
 * the end of an execution.
 */
export class BadDay {
  readonly #world: SimulatedWorld;
  #invocations = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
  }

  /** Refuses every call during the outage, also those for a token: one in some asks for ten minutes of patience. */
  strike(): void {
    const { injected, simulator } = this.#world;
    const { hooks } = simulator;
    const { before } = hooks;
    hooks.before = async (call, request, reply) => {
      if (!this.#isIn(OUTAGE)) return before?.(call, request, reply);
      injected.add('bad day: the order service was down');
      if (call.sequence % PATIENT === 0) reply.header('retry-after', '600');
      await reply.code(503).send();
    };
  }

  /** Throttles the state machine's invocations. */
  throttling(wrapper: InvokeWrapper): InvokeWrapper {
    return async (name, event, invoke) => {
      const isStep = typeof event === 'object' && event !== null && ('generation' in event || 'ended' in event);
      if (!isStep || !this.#isIn(THROTTLED_ACCOUNT)) return wrapper(name, event, invoke);
      this.#invocations += 1;
      if (this.#invocations % SERVED === 0) return wrapper(name, event, invoke);
      this.#world.injected.add('bad day: Lambda throttled an invocation');
      const error = { errorType: 'Lambda.TooManyRequestsException', errorMessage: 'Rate exceeded.', trace: [] };
      return { payload: JSON.stringify(error), functionError: 'Unhandled' };
    };
  }

  /** Loses the events of Step Functions. */
  readonly losingEnds: DeliveryWrapper = (event, deliver) => {
    if (event.source !== 'aws.states') return deliver();
    this.#world.injected.add('bad day: the event of an end was lost');
  };

  #isIn({ from, to }: { from: number; to: number }): boolean {
    const hours = (this.#world.clock.now() - BEGINNING) / HOUR;
    return hours >= from && hours < to;
  }
}
