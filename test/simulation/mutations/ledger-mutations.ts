import { type OrderPlan, plainPlan, type ServiceFaultKind } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

const ledger = 'core/ledger/perform-operation.ts';

const lostCreation = (orderRef: string, kind: ServiceFaultKind) =>
  plainPlan(orderRef, { serviceFaults: [{ kind, call: 'create', occurrence: 1, after: true, times: 1 }] });

/**
 * Orders whose creation has an unknown outcome. The service creates the order, but its answer is lost or useless. Or the function is
 * killed at its sixth request, when the ledger has the creation but the order has no `orderId`. No other function may work for that
 * order then, because its requests would count too.
 */
export const uncertainCreations: readonly OrderPlan[] = [
  lostCreation('lost-creation', 'reset'),
  lostCreation('failed-creation', '502'),
  plainPlan('killed-creation', { interruptions: [{ functionName: 'create-order', request: 6, after: false }] }),
];

/** Makes the ledger forget everything. All mutations that change ledger code are in this file. */
export const forgetfulLedger: Mutation = {
  name: 'the ledger forgets what has begun and what is done',
  changes: [
    {
      file: ledger,
      text: "if (earlier?.knowledge.state === 'done') return earlier.knowledge.outcome as Outcome;",
      instead: '',
    },
    {
      file: 'core/ledger/entry.ts',
      text: 'attribute_not_exists(outcome) AND (attempts = :earlier OR attemptId = :attempt)',
      instead: 'attempts = :earlier OR attemptId = :attempt',
    },
    {
      file: 'core/ledger/knowledge.ts',
      text: "case 'lost':\n      return OPEN;",
      instead: "case 'lost':\n      return NONE;",
    },
  ],
  plans: uncertainCreations,
};

export const ledgerMutations: readonly Mutation[] = [
  forgetfulLedger,
  mutation(
    'a confirm of unknown outcome is not looked up before it is sent again',
    // One of these requests is the confirm, and the service carries it out.
    [4, 5, 6, 7].map((request) =>
      plainPlan(`killed-${request}`, {
        takesRepeatedConfirms: true,
        interruptions: [{ functionName: 'confirm-offer', request, after: true }],
      }),
    ),
    ledger,
    'needsLook(operation, earlier) ? await look(operation) : undefined',
    'needsLook(operation, earlier) && operation.name === "create" ? await look(operation) : undefined',
  ),
];
