import { planOrder } from '../plan/plan.ts';
import type { Mutation } from './mutation.ts';

/** Orders whose partners decide again and again. The bank closes some of them meanwhile. */
const manyDecisions = (...orderRefs: string[]) =>
  orderRefs.map((orderRef) => planOrder('11', orderRef, ['closed-by-bank', 'quick-decisions']));

export const decisionMutations: readonly Mutation[] = [
  {
    name: 'an older decision is written over a newer one',
    changes: [
      {
        file: 'functions/shared/offers/decision-file.ts',
        text: 'for (let current = order; ; current = await readAgain(current)) {\n    const stored = await readObjectUpTo(DECISION_LIMIT, file);',
        instead:
          'const first = await readObjectUpTo(DECISION_LIMIT, file);\n  for (let current = order; ; current = await readAgain(current)) {\n    const stored = first;',
      },
      {
        file: 'functions/shared/offers/decision-file.ts',
        text: 'if ((await headObject(file))?.versionId === stored.versionId) return taken;',
        instead: 'return taken;',
      },
    ],
    plans: () => manyDecisions('order-331'),
  },
  {
    name: 'a decision that was replaced before it was read is not told',
    changes: [
      {
        file: 'functions/receive/handler.ts',
        text: 'if (versionId !== undefined) await noteUnread(order, versionId, isEarly);',
        instead: '',
      },
    ],
    plans: () => manyDecisions('order-331', 'order-197', 'order-428'),
  },
  {
    name: 'a confirm uses the decision from when the function began',
    changes: [
      {
        file: 'functions/confirm-offer/handler.ts',
        text: 'if (now?.withdrawn || !isDeepStrictEqual(now, choice)) {',
        instead: 'if (now === undefined) {',
      },
    ],
    plans: () => manyDecisions('order-197', 'order-428'),
  },
];
