import type { OrderPlan } from '../plan/order-plan.ts';
import { plainPlan } from '../plan/plain-plan.ts';
import type { Mutation } from './mutation.ts';

/**
 * The order is confirmed after 30 seconds and closed 9 seconds later. The read after 40 seconds finds that. The last decision
 * comes a second before this read. Of three orders, at least one decides for another offer.
 */
const decidedLate = (name: string, interrupted: Partial<OrderPlan> = {}) =>
  [1, 2, 3].map((order) =>
    plainPlan(`${name}-${order}`, { choose: 'manual', signer: 'KMS', furtherDecisions: [4, 5], ...interrupted }),
  );

/** `receive` is at this request while the read finds the order CLOSED, and goes on after it. */
const slowReceive = (request: number) => ({ functionName: 'receive', request, after: false, seconds: 3, since: 38 });

export const choicesMutations: readonly Mutation[] = [
  {
    name: 'a decision that came just before the end stays chosen in choices.json',
    changes: [
      {
        file: 'functions/read-order/close-pages.ts',
        text: 'if (version > 0 && (!isSettled || !isTheSame || generation > 1)) await stageChoices(orderRef);',
        instead: 'if (version > 0 && generation > 1) await stageChoices(orderRef);',
      },
    ],
    plans: () => decidedLate('decided-late'),
  },
  {
    name: 'a slow function stages choices.json after the end, and does not look at the record again',
    changes: [
      {
        file: 'core/offers/choices-page.ts',
        text: 'if (textOf(orderRef, page) === staged) return decision;',
        instead: 'if (before || first) return decision;',
      },
    ],
    plans: () => decidedLate('staged-late', { pauses: [slowReceive(7)] }),
  },
  {
    name: 'a read that was killed after it had recorded the end leaves choices.json as it is',
    changes: [
      {
        file: 'functions/read-order/handler.ts',
        text: "if (record.status === 'CLOSED') await closePages(record, await findDecision(record));",
        instead: '',
      },
    ],
    plans: () =>
      decidedLate('killed-read', { kills: [{ functionName: 'read-order', request: 8, after: false, since: 38 }] }),
  },
  {
    name: 'a decision whose function was killed is refused after the end, and choices.json stays as it is',
    changes: [
      {
        file: 'core/offers/decision-file.ts',
        text: "if (decision.version > 0) await stageChoices(orderRef, { staged: await staged(orderRef, 'choices.json') });",
        instead: '',
      },
    ],
    plans: () =>
      decidedLate('killed-receive', {
        pauses: [slowReceive(7)],
        kills: [{ functionName: 'receive', request: 8, after: true, since: 41 }],
      }),
  },
];
