import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

const DAY = 86_400;

/** The bank closes the order while the credit desk takes twenty days to decide. */
const closedWhileWaiting = () =>
  plainPlan('closed-while-waiting', {
    choose: 'manual',
    decision: { delay: 20 * DAY, early: false, nonsenseFirst: false, choices: 1 },
    closedAfter: 60,
  });

/**
 * The first decision names no offer. `choose-offer` has seen it and stands still before it records that the order waits. The right
 * decision comes after a minute and wakes the order, which is CLOSED when `choose-offer` continues.
 */
const slowChooseOffer = (request: number) =>
  plainPlan(`slow-choose-offer-${request}`, {
    choose: 'manual',
    decision: { delay: 0, early: true, nonsenseFirst: true, choices: 1 },
    pauses: [{ functionName: 'choose-offer', request, after: false, seconds: 150 }],
  });

/** All three offers are chosen, and the first of them expires before it is confirmed. */
const refusedConfirm = () =>
  plainPlan('refused-confirm', {
    choose: 'manual',
    decision: { delay: 0, early: false, nonsenseFirst: false, choices: 3 },
    withdrawnOffer: { at: 'confirm', isRemoved: false },
  });

export const waitingMutations: readonly Mutation[] = [
  {
    name: 'an order that waits for people is not read for a month',
    changes: [
      {
        file: 'core/order/awaited.ts',
        text: 'Math.min(recheck, untilDeadline, nextReadSeconds ?? Number.POSITIVE_INFINITY)',
        instead: 'untilDeadline',
      },
    ],
    plans: () => [closedWhileWaiting()],
  },
  {
    name: 'a confirm that is refused stops the choices behind it',
    changes: [
      {
        file: 'functions/confirm-offer/handler.ts',
        text: 'if (error instanceof Rejected) return recordRefusal(order, position, error);',
        instead: 'if (error instanceof Rejected) throw error;',
      },
    ],
    plans: () => [refusedConfirm()],
  },
  {
    name: 'a slow function writes that a CLOSED order waits for a decision',
    changes: [
      {
        file: 'core/order/order-record.ts',
        text: "if (changes.status === undefined) conditions.push('#status = :status');",
        instead: '',
      },
    ],
    plans: () => [5, 6, 7].map(slowChooseOffer),
  },
];
