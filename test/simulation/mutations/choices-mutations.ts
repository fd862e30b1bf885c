import type { OrderPlan } from '../plan/order-plan.ts';
import { plainPlan } from '../plan/plain-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

/**
 * The order is confirmed after 30 seconds and closed 9 seconds later. The read after 40 seconds finds that. The last decision
 * comes a second before this read. Of three orders, at least one decides for another offer.
 */
const decidedLate = (name: string, interrupted: Partial<OrderPlan> = {}) =>
  [1, 2, 3].map((order) =>
    plainPlan(`${name}-${order}`, { choose: 'manual', signer: 'KMS', furtherDecisions: [4, 5], ...interrupted }),
  );

/** `receive-upload` is at this request while the read finds the order CLOSED, and goes on after it. */
const slowReceive = (request: number) => ({
  functionName: 'receive-upload',
  request,
  after: false,
  seconds: 3,
  since: 38,
});

export const choicesMutations: readonly Mutation[] = [
  mutation(
    'a decision that came just before the end stays chosen in choices.json',
    decidedLate('decided-late'),
    'functions/read-order/close-pages.ts',
    'if (version > 0 && (!isSettled || !isTheSame || generation > 1)) await stageChoices(orderRef);',
    'if (version > 0 && generation > 1) await stageChoices(orderRef);',
  ),
  mutation(
    'a slow function stages choices.json after the end, and does not look at the record again',
    decidedLate('staged-late', { interruptions: [slowReceive(7)] }),
    'core/offers/choices-page.ts',
    'if (textOf(orderRef, page) === staged) return decision;',
    'if (before || first) return decision;',
  ),
  mutation(
    'a read that was killed after it had recorded the end leaves choices.json as it is',
    decidedLate('killed-read', {
      interruptions: [{ functionName: 'read-order', request: 8, after: false, since: 38 }],
    }),
    'functions/read-order/handler.ts',
    "if (record.status === 'CLOSED') await closePages(record, await findDecision(record));",
    '',
  ),
  mutation(
    'a decision whose function was killed is refused after the end, and choices.json stays as it is',
    decidedLate('killed-receive', {
      interruptions: [slowReceive(7), { functionName: 'receive-upload', request: 8, after: true, since: 41 }],
    }),
    'core/offers/decision-file.ts',
    "if (decision.version > 0) await stageChoices(orderRef, { staged: await staged(orderRef, 'choices.json') });",
    '',
  ),
];
