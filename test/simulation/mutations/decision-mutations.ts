import { type OrderPlan, plainPlan } from '../plan/order-plan.ts';
import { planOrder } from '../plan/plan.ts';
import { type Mutation, mutation } from './mutation.ts';

/** Orders whose partners decide again and again. The bank closes some of them meanwhile. */
const manyDecisions = (...orderRefs: string[]) =>
  orderRefs.map((orderRef) => planOrder('11', orderRef, ['closed-by-bank', 'quick-decisions']));

/** A person decides, and others overwrite the decision at the same moment. */
const atOnce: Partial<OrderPlan> = { choose: 'manual', furtherDecisions: [0, 0, 0] };

export const decisionMutations: readonly Mutation[] = [
  {
    name: 'an older decision is written over a newer one',
    changes: [
      {
        file: 'core/offers/decision-file.ts',
        text: 'for (let current = order; ; current = await readAgain(current)) {\n    const stored = await readObjectUpTo(DECISION_BYTES, file);',
        instead:
          'const first = await readObjectUpTo(DECISION_BYTES, file);\n  for (let current = order; ; current = await readAgain(current)) {\n    const stored = first;',
      },
      {
        file: 'core/offers/decision-file.ts',
        text: 'if ((await headObject(file))?.versionId === stored.versionId) return taken;',
        instead: 'return taken;',
      },
    ],
    plans: manyDecisions('order-331'),
  },
  mutation(
    'a decision that was replaced before it was read is not told',
    ['at-once-1', 'at-once-2'].map((orderRef) => plainPlan(orderRef, atOnce)),
    'functions/receive-upload/handler.ts',
    'if (versionId !== undefined) await noteUnread(order, versionId, isEarly);',
    '',
  ),
  mutation(
    'a confirm uses the decision from when the function began',
    // The next decision comes while the function pauses before it records what it is to confirm.
    [1, 2, 3].map((order) =>
      plainPlan(`older-${order}`, {
        choose: 'manual',
        signer: 'KMS',
        furtherDecisions: [1],
        interruptions: [{ functionName: 'confirm-offer', request: 2, after: false, seconds: 3 }],
      }),
    ),
    'functions/confirm-offer/handler.ts',
    'if (!isDeepStrictEqual(now.decision.choices[position], choice)) return undefined;',
    '',
  ),
];
