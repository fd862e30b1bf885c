import { plainPlan } from '../plan/order-plan.ts';
import { decisionMutations } from './decision-mutations.ts';
import { eventMutations } from './event-mutations.ts';
import { faultMutations } from './fault-mutations.ts';
import { ledgerMutations } from './ledger-mutations.ts';
import { type Change, type Mutation, mutation } from './mutation.ts';
import { pageMutations } from './page-mutations.ts';
import { waitingMutations } from './waiting-mutations.ts';

const orderMachine = 'statemachine/order.asl.json';

/** Makes a Wait state one second shorter. */
function shorterWait(state: string, comment: string): Change {
  const head = `"${state}": {\n      "Type": "Wait",\n      "Comment": "${comment}",\n      "SecondsPath": "$.pollAfterSeconds",`;
  const shorter = {
    Type: 'Pass',
    Parameters: { 'seconds.$': 'States.MathAdd($.pollAfterSeconds, -1)' },
    ResultPath: '$.shorter',
    Next: `${state}, shorter`,
  };
  const wait = `"${state}, shorter": {\n      "Type": "Wait",\n      "SecondsPath": "$.shorter.seconds",`;
  return { file: orderMachine, text: head, instead: `"${state}": ${JSON.stringify(shorter)},\n    ${wait}` };
}

/** An operator retries at once, while a function of the aborted execution is still waiting for the answer to a read. */
const retryDuringRead = (orderRef: string, since: number) =>
  plainPlan(orderRef, {
    scenario: 'slow-processing',
    interruptions: [{ functionName: 'read-order', request: 2, after: false, seconds: 2.9, since }],
    abort: { after: since + 0.2, retryAfter: 0 },
  });

/** A function of an aborted execution continues long after the next execution has started. */
const lateFunction = (orderRef: string, scenario: string, request: number, seconds: number) =>
  plainPlan(orderRef, {
    scenario,
    interruptions: [{ functionName: 'read-order', request, after: false, seconds, since: 10 }],
    abort: { after: 11, retryAfter: 0 },
  });

const secondReads = [4, 6, 8, 10, 12, 14];

/** The answer to a confirm is lost, and every second read of the order is stale. `first` shifts these reads by one. */
const confirmBeforeStaleRead = (first: number) =>
  plainPlan(`stale-${first}`, {
    takesRepeatedConfirms: true,
    serviceFaults: [
      { kind: 'reset', call: 'confirm', occurrence: 1, after: true, times: 1 },
      ...secondReads.map(
        (read) => ({ kind: 'stale read', call: 'read', occurrence: read + first, after: true, times: 1 }) as const,
      ),
    ],
  });

/** The simulation must notice each of these. `npm run simulate -- --mutations` tries them one by one. */
export const mutations: readonly Mutation[] = [
  {
    name: 'the wait while the service works is one second shorter',
    changes: [shorterWait('In work', 'Waits while the service works')],
    plans: [plainPlan('plain')],
  },
  {
    name: 'the wait while the bank works is one second shorter',
    changes: [
      shorterWait(
        'Offers approved',
        'Waits while the bank works. A later decision may confirm another AVAILABLE offer',
      ),
    ],
    plans: [plainPlan('plain')],
  },
  mutation(
    'a wait that grows may be shorter than pollAfterSeconds',
    [{ ...plainPlan('slow'), scenario: 'slow-processing' }],
    'core/reading/poll.ts',
    'return Math.max(seconds, grown);',
    'return Math.max(1, grown);',
  ),
  mutation(
    'the wait of an execution that takes over an order is one second shorter',
    [retryDuringRead('retry-during-read', 20)],
    'functions/create-order/handler.ts',
    'const wait = Math.max(waitOfReadBefore(order), secondsUntil(nextReadAt));',
    'const wait = Math.max(0, waitOfReadBefore(order) - 1, secondsUntil(nextReadAt) - 1);',
  ),
  mutation(
    'a read does not check the record for being too early',
    [{ ...retryDuringRead('later-read', 10), scenario: undefined, polls: [{ occurrence: 2, seconds: 45 }] }],
    'core/reading/without-read.ts',
    'const isOver = until === cursor.nextReadAt && !known.waitedForPeople;',
    'const isOver = true;',
  ),
  mutation(
    'a single read settles a confirm whose outcome is unknown',
    [0, 1].map(confirmBeforeStaleRead),
    'core/offers/proven-confirms.ts',
    "if (status !== 'CLOSED') return isBelieved && isUnsettled(state);",
    "if (status !== 'CLOSED') return isUnsettled(state);",
  ),
  mutation(
    'a function continues for a superseded execution',
    [lateFunction('late-start', 'slow-processing', 1, 15)],
    'core/order/order-record.ts',
    'if (order.generation === generation) return order;',
    'if (order.generation >= generation) return order;',
  ),
  {
    name: 'a superseded execution changes the record',
    changes: [
      {
        file: 'core/order/order-record.ts',
        text: 'condition: `generation = :current AND',
        instead: 'condition: `generation >= :current AND',
      },
      {
        file: 'core/order/order-record.ts',
        text: 'const same = sameNotBefore(before, changes);',
        instead: "const same = { condition: 'attribute_exists(orderRef)', values: {} };",
      },
      {
        file: 'core/order/change-order.ts',
        text: "IS_ACTIVE, isNewest.condition].join(' AND '),\n    { ...values, ...isNewest.values },",
        instead: "IS_ACTIVE].join(' AND '),\n    { ...values },",
      },
    ],
    plans: [lateFunction('late-record', 'validation-fails-after-documents', 3, 60)],
  },
  mutation(
    'a replaced signature is not sent again',
    [
      plainPlan('replaced-signature', {
        signing: { delay: 0, early: false, replacedAfter: 3 },
        interruptions: [{ functionName: 'accept-order', request: 1, after: false, seconds: 15, since: 15 }],
        abort: { after: 22, retryAfter: 4 },
      }),
    ],
    'functions/upload-signature/handler.ts',
    'uploadSignatureName(round, fileId, judged.versionId)',
    "uploadSignatureName(round, fileId, '')",
  ),
  mutation(
    'the first file of every Map is lost',
    [plainPlan('plain')],
    'core/reading/output.ts',
    'documents: items(Array(files).keys()),',
    'documents: items([...Array(files).keys()].slice(1)),',
  ),
  ...ledgerMutations,
  ...decisionMutations,
  ...pageMutations,
  ...faultMutations,
  ...waitingMutations,
  ...eventMutations,
];
