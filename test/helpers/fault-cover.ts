import { nameOf } from '../simulation/faults/broken-answers.ts';
import type { AwsFault, OrderPlan, ServiceFault } from '../simulation/plan/order-plan.ts';

/**
 * What the simulation counts each fault of a plan as, once it has struck. Kills are left out: each takes a worker thread of a function with
 * it, which costs the time of several orders.
 */
export function plannedKinds({ serviceFaults, awsFaults, deliveries }: OrderPlan): string[] {
  return [
    ...serviceFaults.map(nameOf),
    ...awsFaults.map(
      ({ service, kind, after }) => `AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`,
    ),
    ...deliveries.flatMap(({ delays }) => [
      ...delays.slice(1).map(() => 'event: delivered again'),
      ...delays.filter((delay) => delay > 0).map(() => 'event: late, behind others'),
    ]),
  ];
}

/** Few orders whose plans have every kind of fault of all of them, each where the order is sure to come. */
export function cover(plans: readonly OrderPlan[]): OrderPlan[] {
  const certain = new Map(plans.filter(goesAllTheWay).map((plan) => [plan, plannedKinds(onlyCertain(plan))]));
  const left = new Set(plans.flatMap(plannedKinds));
  const chosen: OrderPlan[] = [];
  while (left.size > 0) {
    const newIn = ([, kinds]: [OrderPlan, string[]]) => new Set(kinds.filter((kind) => left.has(kind))).size;
    const best = [...certain].reduce((one, other) => (newIn(other) > newIn(one) ? other : one));
    if (newIn(best) === 0) throw new Error(`No order is sure to meet ${[...left].join('; ')}.`);
    for (const kind of best[1]) left.delete(kind);
    chosen.push(best[0]);
  }
  return chosen;
}

/** Such an order makes every call sooner or later, whatever its faults are. */
function goesAllTheWay({ scenario, broken, operatorAway, kills }: OrderPlan): boolean {
  return !/validation|no-offer/.test(scenario ?? '') && !broken && !operatorAway && kills.length === 0;
}

function onlyCertain(plan: OrderPlan): OrderPlan {
  return {
    ...plan,
    serviceFaults: plan.serviceFaults.filter(isCertain),
    awsFaults: plan.awsFaults.filter(({ service, position }) => position <= firstPositions[service]),
    deliveries: plan.deliveries.filter(({ position }) => position <= 2),
  };
}

const firstPositions: Record<AwsFault['service'], number> = {
  DynamoDB: 50,
  S3: 14,
  'Secrets Manager': 1,
  'Step Functions': 1,
};

/** A read can only be stale when there was one before. */
function isCertain(fault: ServiceFault): boolean {
  if (fault.kind === 'stale read') return fault.occurrence > 1 && fault.occurrence < 5;
  return fault.occurrence === 1;
}
