import { nameOf } from '../simulation/faults/broken-answers.ts';
import type { AwsFault, OrderPlan, ServiceFault } from '../simulation/plan/order-plan.ts';
import { isHonest } from '../simulation/plan/plan-faults.ts';

/**
 * The names under which the simulation counts the faults of a plan. Kills are left out, because each kill ends a worker thread, which
 * costs as much time as several orders.
 */
export function plannedKinds({ serviceFaults, awsFaults, deliveries }: OrderPlan): string[] {
  return [
    ...serviceFaults.map(nameOf),
    ...awsFaults.map(awsName),
    ...deliveries.flatMap(({ delays }) => [
      ...delays.slice(1).map(() => 'event: delivered again'),
      ...delays.filter((delay) => delay > 0).map(() => 'event: late, after others'),
    ]),
  ];
}

const awsName = ({ service, kind, after }: AwsFault) =>
  `AWS: ${service} ${kind}, ${after ? 'after' : 'before'} it was done`;

/**
 * A few orders whose plans together have every planned kind of fault, each at a call that the order surely makes. An order costs far
 * more than a fault, so each of them also meets faults of other plans, at calls and services that its own plan leaves alone.
 */
export function cover(plans: readonly OrderPlan[]): OrderPlan[] {
  const candidates = plans.filter(goesAllTheWay).map((plan) => ({ plan, sure: onlyCertain(plan) }));
  const left = new Set(plans.flatMap(plannedKinds));
  const newIn = ({ sure }: { sure: OrderPlan }) => new Set(plannedKinds(sure).filter((kind) => left.has(kind))).size;
  const chosen: OrderPlan[] = [];
  while (left.size > 0) {
    // An order meets a fault of KMS only if KMS signs, so these orders come first.
    const signed = candidates.filter(({ sure }) =>
      sure.awsFaults.some((fault) => isKms(fault) && left.has(awsName(fault))),
    );
    const best = (signed.length > 0 ? signed : candidates).reduce((one, other) =>
      newIn(other) > newIn(one) ? other : one,
    );
    if (newIn(best) === 0) throw new Error(`No order is sure to meet ${[...left].join('; ')}.`);
    for (const kind of plannedKinds(best.sure)) left.delete(kind);
    chosen.push(
      withFurther(
        best.plan,
        candidates.map(({ sure }) => sure),
        left,
      ),
    );
  }
  return chosen;
}

const isKms = ({ service }: AwsFault) => service === 'KMS';

/** The most faults of the service, and of AWS, that an order takes over from other plans. */
const MOST_TAKEN = 2;

/** The plan with faults of kinds that are left, from other plans. They are removed from `left`. */
function withFurther(plan: OrderPlan, others: readonly OrderPlan[], left: Set<string>): OrderPlan {
  const [serviceFaults, awsFaults] = [[...plan.serviceFaults], [...plan.awsFaults]];
  const isFree = (fault: ServiceFault) => !serviceFaults.some(({ call }) => call === fault.call);
  const isFreeAws = (fault: AwsFault) => !isKms(fault) && !awsFaults.some(({ service }) => service === fault.service);
  for (const other of others) {
    for (const fault of other.serviceFaults) {
      if (serviceFaults.length < plan.serviceFaults.length + MOST_TAKEN && isFree(fault) && left.delete(nameOf(fault)))
        serviceFaults.push(fault);
    }
    for (const fault of other.awsFaults) {
      if (awsFaults.length < plan.awsFaults.length + MOST_TAKEN && isFreeAws(fault) && left.delete(awsName(fault)))
        awsFaults.push(fault);
    }
  }
  return {
    ...plan,
    serviceFaults,
    awsFaults,
    // As planOrder does.
    takesRepeatedConfirms: plan.takesRepeatedConfirms && isHonest(serviceFaults),
    handOverAfter: serviceFaults.some(({ kind }) => kind === 'stale read') ? undefined : plan.handOverAfter,
  };
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
  EventBridge: 8,
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
