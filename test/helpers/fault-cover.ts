import { nameOf } from '../simulation/faults/broken-answers.ts';
import type { AwsFault, OrderPlan, ServiceFault } from '../simulation/plan/order-plan.ts';

/**
 * The names under which the simulation counts the faults of a plan. Kills are left out, because each kill ends a worker thread, which
 * costs as much time as several orders.
 */
export function plannedKinds({ serviceFaults, awsFaults, deliveries }: OrderPlan): string[] {
  return [
    ...serviceFaults.map(nameOf),
    ...awsFaults.map(
      ({ service, kind, after }) => `AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`,
    ),
    ...deliveries.flatMap(({ delays }) => [
      ...delays.slice(1).map(() => 'event: delivered again'),
      ...delays.filter((delay) => delay > 0).map(() => 'event: late, after others'),
    ]),
  ];
}

/** A few orders whose plans together have every planned kind of fault, each at a call that the order surely makes. */
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

/** Whether the order makes every kind of call, whatever its faults are. */
function goesAllTheWay({ scenario, broken, operatorAway, kills }: OrderPlan): boolean {
  return !/validation|no-offer/.test(scenario ?? '') && !broken && !operatorAway && kills.length === 0;
}

function onlyCertain(plan: OrderPlan): OrderPlan {
  return {
    ...plan,
    serviceFaults: plan.serviceFaults.filter(isCertain).filter(isFirstAtItsCall),
    awsFaults: plan.awsFaults.filter(({ service, position }) => position <= firstPositions[service]),
    deliveries: plan.deliveries.filter(({ position }) => position <= 2),
  };
}

const firstPositions: Record<AwsFault['service'], number> = {
  DynamoDB: 50,
  S3: 14,
  'Secrets Manager': 1,
  'Step Functions': 1,
  KMS: 1,
};

/** Of two faults at the same call, only the first strikes. */
function isFirstAtItsCall({ call, occurrence }: ServiceFault, position: number, all: ServiceFault[]): boolean {
  return all.findIndex((other) => other.call === call && other.occurrence === occurrence) === position;
}

/** A read can be stale only if there was one before. */
function isCertain(fault: ServiceFault): boolean {
  if (fault.kind === 'stale read') return fault.occurrence > 1 && fault.occurrence < 5;
  return fault.occurrence === 1;
}
