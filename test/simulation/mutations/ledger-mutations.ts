import type { OrderPlan, ServiceFaultKind } from '../plan/order-plan.ts';
import { plainPlan } from '../plan/plan.ts';
import type { Mutation } from './mutation.ts';

const ledger = 'functions/shared/ledger/perform-operation.ts';

const lostCreation = (orderRef: string, kind: ServiceFaultKind) =>
  plainPlan(orderRef, { serviceFaults: [{ kind, call: 'create', occurrence: 1, after: true, times: 1 }] });

/**
 * The service creates the order, and its answer is lost or says nothing; or the function is killed when the ledger has the creation, and
 * the order not yet its `orderId` (its sixth request). Nothing else may be at work for that order then, whose requests would count too.
 */
export const uncertainCreations: readonly OrderPlan[] = [
  lostCreation('lost-creation', 'reset'),
  lostCreation('failed-creation', '502'),
  plainPlan('killed-creation', { kills: [{ functionName: 'create-order', request: 6, after: false }] }),
];

/** What the ledger remembers, forgotten. All texts of the ledger that mutations name are in this file. */
export const forgetfulLedger: Mutation = {
  name: 'the ledger forgets what was begun and done',
  changes: [
    {
      file: ledger,
      text: "if (earlier?.knowledge.state === 'done') return earlier.knowledge.outcome as Outcome;",
      instead: '',
    },
    {
      file: 'functions/shared/ledger/entry.ts',
      text: 'attribute_not_exists(outcome) AND (attempts = :earlier OR run = :run)',
      instead: 'attempts = :earlier OR run = :run',
    },
    {
      file: 'functions/shared/ledger/knowledge.ts',
      text: "case 'lost':\n      return OPEN;",
      instead: "case 'lost':\n      return NONE;",
    },
  ],
  plans: () => uncertainCreations,
};

export const ledgerMutations: readonly Mutation[] = [
  forgetfulLedger,
  {
    name: 'no second look at a confirm of which nobody knows what came',
    changes: [
      {
        file: ledger,
        text: 'needsLook(operation, earlier) ? await look(operation) : undefined',
        instead: 'needsLook(operation, earlier) && operation.name === "create" ? await look(operation) : undefined',
      },
    ],
    // One of these requests is the confirm, which the service carries out.
    plans: () =>
      [4, 5, 6, 7].map((request) =>
        plainPlan(`killed-${request}`, {
          takesRepeatedConfirms: true,
          kills: [{ functionName: 'confirm-offer', request, after: true }],
        }),
      ),
  },
];
