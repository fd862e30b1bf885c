import { Dice } from './dice.ts';
import { type OrderPlan, plainPlan } from './order-plan.ts';

/** Seconds from the beginning of the day. People act at the full quarters of a day, so many orders go on in the hour that is lost. */
export const RESTORED_TO = 17.4 * 3_600;
export const PAUSED_AT = 18.3 * 3_600;
export const RESTORED_AT = 18.5 * 3_600;

/** What is slow about the service on such a day, so that there are orders in every status. Seconds. */
export const SLOW_SERVICE = { pollAfterSeconds: 30, processingSeconds: 900, bankSeconds: 900 };

/**
 * An order of a day on which the table is restored to a time an hour ago (faults/restored-table.ts). It comes at any time of the day,
 * and is as likely to come in the last three hours.
 */
export function planOnRestoredDay(seed: string, orderRef: string): OrderPlan {
  const dice = new Dice(seed, orderRef, 'restored day');
  const plan = plainPlan(orderRef);
  const scenario = dice.weighted({
    'as usual': 60,
    'validation-fails-at-once': 5,
    'validation-fails-after-documents': 5,
    'no-offer-approved': 5,
    'second-signing-round': 15,
    'documents-again': 10,
  });
  const isLate = dice.chance(0.5);
  const delay = () => (dice.chance(0.4) ? 0 : dice.between(1, 12 * 3_600));
  return {
    ...plan,
    scenario: scenario === 'as usual' ? undefined : scenario,
    choose: dice.chance(0.5) ? 'rule' : 'manual',
    signer: dice.chance(0.2) ? 'KMS' : 'partner',
    signing: { ...plan.signing, delay: delay() },
    decision: { ...plan.decision, delay: delay(), choices: dice.between(1, 2) },
    takesRepeatedConfirms: dice.chance(0.5),
    restored: {
      startsAfter: dice.between(isLate ? RESTORED_AT - 3 * 3_600 : 0, PAUSED_AT),
      losesExecution: dice.chance(0.5),
    },
  };
}

export function isRestoredDay(plans: ReadonlyMap<string, OrderPlan>): boolean {
  return [...plans.values()].some(({ restored }) => restored !== undefined);
}
