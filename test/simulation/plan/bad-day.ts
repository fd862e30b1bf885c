import { Dice } from './dice.ts';
import type { OrderPlan } from './order-plan.ts';
import { plainPlan } from './plain-plan.ts';

const DAY = 86_400;

/**
 * An order of a day on which the service and the account fail (faults/bad-day.ts), and on which no operator is there. It comes at
 * any time of the day and meets nothing else that is unusual, so it must come to its end by itself.
 */
export function planOnBadDay(seed: string, orderRef: string): OrderPlan {
  const dice = new Dice(seed, orderRef, 'bad day');
  const plan = plainPlan(orderRef);
  return {
    ...plan,
    scenario: dice.chance(0.15) ? 'validation-fails-after-documents' : undefined,
    choose: dice.chance(0.5) ? 'rule' : 'manual',
    signer: dice.chance(0.2) ? 'KMS' : 'partner',
    signing: { ...plan.signing, delay: dice.chance(0.5) ? 0 : dice.between(1, DAY) },
    decision: { ...plan.decision, delay: dice.chance(0.5) ? 0 : dice.between(1, DAY) },
    badDay: { startsAfter: dice.between(0, DAY) },
    operatorAway: true,
  };
}
