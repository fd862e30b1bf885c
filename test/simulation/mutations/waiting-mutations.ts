import { plainPlan } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

const DAY = 86_400;

export const waitingMutations: readonly Mutation[] = [
  mutation(
    'an order that waits for people is not read for a month',
    // The bank closes the order while the credit desk takes twenty days to decide.
    [
      plainPlan('closed-while-waiting', {
        choose: 'manual',
        decision: { delay: 20 * DAY, early: false, nonsenseFirst: false, choices: 1 },
        closedAfter: 60,
      }),
    ],
    'core/people/waits.ts',
    'Math.min(rules.waitRecheckHours * 3_600, untilDeadline, nextReadSeconds)',
    'untilDeadline',
  ),
  mutation(
    'a confirm that is refused stops the choices behind it',
    // All three offers are chosen, and the first of them expires before it is confirmed.
    [
      plainPlan('refused-confirm', {
        choose: 'manual',
        decision: { delay: 0, early: false, nonsenseFirst: false, choices: 3 },
        withdrawnOffer: { at: 'confirm', isRemoved: false },
      }),
    ],
    'functions/confirm-offer/handler.ts',
    'if (error instanceof Rejected) return recordRefusal(order, position, error);',
    'if (error instanceof Rejected) throw error;',
  ),
  mutation(
    'a slow function writes that a CLOSED order waits for a decision',
    // The first decision names no offer. `choose-offer` has seen it and stands still before it records that the order waits.
    // The right decision comes after a minute and wakes the order, which is CLOSED when `choose-offer` continues.
    [5, 6, 7].map((request) =>
      plainPlan(`slow-choose-offer-${request}`, {
        choose: 'manual',
        decision: { delay: 0, early: true, nonsenseFirst: true, choices: 1 },
        interruptions: [{ functionName: 'choose-offer', request, after: false, seconds: 150 }],
      }),
    ),
    'core/order/order-record.ts',
    "const same = 'generation = :current AND attribute_not_exists(failure) AND #status = :status';",
    "const same = 'generation = :current AND attribute_not_exists(failure)';",
  ),
];
