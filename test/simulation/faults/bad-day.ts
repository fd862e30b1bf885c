import type { DeliveryWrapper, InvokeWrapper } from '@business-loan-orders/embedded-aws';
import type { OrderPlan, ServiceCall } from '../plan/order-plan.ts';
import type { SimulatedWorld } from '../world/simulated-world.ts';
import { callOf } from './service-faults.ts';

/** Hours of the day, from and to. */
const OUTAGE = { from: 8, to: 11 };
const THROTTLED_ACCOUNT = { from: 14, to: 15 };
/** Of the invocations while the account is throttled, one in this many is served. */
const SERVED = 3;
/** Of the calls during the outage, one in this many is answered with `Retry-After`. */
const PATIENT = 12;

export function isBadDay(plans: ReadonlyMap<string, OrderPlan>): boolean {
  return [...plans.values()].some(({ badDay }) => badDay && !badDay.down);
}

function isIn({ schedule }: SimulatedWorld, { from, to }: { from: number; to: number }): boolean {
  const hours = schedule.seconds() / 3_600;
  return hours >= from && hours < to;
}

/** The call that is answered 503 for a whole day, if nothing else fails. */
export function callDown(plans: ReadonlyMap<string, OrderPlan>): ServiceCall | undefined {
  return [...plans.values()].find(({ badDay }) => badDay?.down)?.badDay?.down;
}

/**
 * Nothing is done, and nobody is asked to wait. A creation that was under way may arrive seconds after one without an answer. All others
 * wait for a minute at least.
 */
export function failForADay(world: SimulatedWorld, down: ServiceCall): void {
  const { hooks } = world.simulator;
  const { before } = hooks;
  let last = Number.NEGATIVE_INFINITY;
  hooks.before = async (call, request, reply) => {
    if (callOf(call) !== down || !isIn(world, { from: 0, to: 24 })) return before?.(call, request, reply);
    world.injected.add(`outage: ${down} answered 503`);
    const seconds = (call.at - last) / 1_000;
    last = call.at;
    if (down === 'create' && seconds > 10 && seconds < 55)
      for (const orderRef of world.plans.keys())
        world.witness.note(orderRef, 'a creation did not wait after a lost one');
    await reply.code(503).send();
  };
}

/** The order service is down for three hours: it refuses every call, also those for a token. Some ask for ten minutes of patience. */
export function failForHours(world: SimulatedWorld): void {
  const { hooks } = world.simulator;
  const { before } = hooks;
  hooks.before = async (call, request, reply) => {
    if (!isIn(world, OUTAGE)) return before?.(call, request, reply);
    world.injected.add('bad day: the order service was down');
    if (call.sequence % PATIENT === 0) reply.header('retry-after', '600');
    await reply.code(503).send();
  };
}

/** Lambda throttles most invocations of the state machine for an hour. */
export function throttling(world: SimulatedWorld, wrapper: InvokeWrapper): InvokeWrapper {
  let invocations = 0;
  return async (name, event, invoke) => {
    const isStep = typeof event === 'object' && event !== null && 'generation' in event;
    if (isStep && isIn(world, THROTTLED_ACCOUNT)) invocations += 1;
    else return wrapper(name, event, invoke);
    if (invocations % SERVED === 0) return wrapper(name, event, invoke);
    world.injected.add('bad day: Lambda throttled an invocation');
    const error = { errorType: 'Lambda.TooManyRequestsException', errorMessage: 'Rate exceeded.', trace: [] };
    return { payload: JSON.stringify(error), functionError: 'Unhandled' };
  };
}

export const losingEnds =
  ({ injected }: SimulatedWorld): DeliveryWrapper =>
  (event, deliver) => {
    if (event.source !== 'aws.states') return deliver();
    injected.add('bad day: the event of an end was lost');
  };
