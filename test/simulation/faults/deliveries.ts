import type { DeliveryWrapper } from '@business-loan-orders/embedded-aws';
import type { SimulatedWorld } from '../world/simulated-world.ts';

interface EventDetail {
  object?: { key: string };
  input?: string;
}

/** Delivers events twice, late and in another sequence, as each order's plan says. */
export function deliveries({ plans, clock, injected }: SimulatedWorld): DeliveryWrapper {
  const seen = new Map<string, number>();
  const positionOf = (name: string) => {
    const position = (seen.get(name) ?? 0) + 1;
    seen.set(name, position);
    return position;
  };
  return (event, deliver) => {
    const detail = event.detail as EventDetail;
    const orderRef = orderOf(detail);
    const position = positionOf(orderRef);
    const { lostEvent, deliveries: planned = [] } = plans.get(orderRef) ?? {};
    // Only events of signatures and decisions are lost. S3 and EventBridge deliver at least once, but a rule may be disabled for a while.
    const mayBeLost = /\/(signatures\/|decision\.json$)/.test(detail.object?.key ?? '');
    if (lostEvent !== undefined && mayBeLost && positionOf(`${orderRef} brought`) === lostEvent) {
      injected.add('event: lost');
      return;
    }
    const copies = planned.find((delivery) => delivery.position === position);
    if (!copies) return deliver();
    for (const [copy, delay] of copies.delays.entries()) {
      if (copy > 0) injected.add('event: delivered again');
      if (delay > 0) injected.add('event: late, after others');
      clock.setTimeout(deliver, delay * 1000);
    }
  };
}

/** The orderRef of an event about an object in intake or about an execution that ended. */
function orderOf({ object, input = '{}' }: EventDetail): string {
  const reference = object?.key.split('/')[1] ?? (JSON.parse(input) as { orderRef?: string }).orderRef;
  return reference ?? '';
}
