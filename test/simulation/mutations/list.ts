import { plainPlan } from '../plan/plain-plan.ts';
import { answerMutations } from './answer-mutations.ts';
import { choicesMutations } from './choices-mutations.ts';
import { clockMutations } from './clock-mutations.ts';
import { decisionMutations } from './decision-mutations.ts';
import { eventMutations } from './event-mutations.ts';
import { ledgerMutations } from './ledger-mutations.ts';
import type { Change, Mutation } from './mutation.ts';
import { recoveryMutations } from './recovery-mutations.ts';
import { signingMutations } from './signing-mutations.ts';
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
    pauses: [{ functionName: 'read-order', request: 2, after: false, seconds: 2.9, since }],
    abort: { after: since + 0.2, retryAfter: 0 },
  });

/** A function of an aborted execution continues long after the next execution has started. */
const lateFunction = (orderRef: string, scenario: string, request: number, seconds: number) =>
  plainPlan(orderRef, {
    scenario,
    pauses: [{ functionName: 'read-order', request, after: false, seconds, since: 10 }],
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
    plans: () => [plainPlan('plain')],
  },
  {
    name: 'the wait while the bank works is one second shorter',
    changes: [
      shorterWait(
        'Offers approved',
        'Waits while the bank works. A later decision may confirm another AVAILABLE offer',
      ),
    ],
    plans: () => [plainPlan('plain')],
  },
  {
    name: 'a wait that grows may be shorter than pollAfterSeconds',
    changes: [
      {
        file: 'core/reading/poll.ts',
        text: 'return Math.max(seconds, grown);',
        instead: 'return Math.max(1, grown);',
      },
    ],
    plans: () => [{ ...plainPlan('slow'), scenario: 'slow-processing' }],
  },
  {
    name: 'the wait of an execution that takes over an order is one second shorter',
    changes: [
      {
        file: 'functions/create-order/handler.ts',
        text: 'const wait = Math.max(waitOfReadBefore(order), secondsUntil(nextReadAt));',
        instead: 'const wait = Math.max(0, waitOfReadBefore(order) - 1, secondsUntil(nextReadAt) - 1);',
      },
    ],
    plans: () => [retryDuringRead('retry-during-read', 20)],
  },
  {
    name: 'a read does not check the record for being too early',
    changes: [
      {
        file: 'functions/read-order/handler.ts',
        text: 'const early = remainingWait(record, cursor);',
        instead: 'const early = undefined as ReturnType<typeof remainingWait>;',
      },
    ],
    plans: () => [
      { ...retryDuringRead('later-read', 10), scenario: undefined, polls: [{ occurrence: 2, seconds: 45 }] },
    ],
  },
  {
    name: 'a single read settles a confirm whose outcome is unknown',
    changes: [
      {
        file: 'core/offers/settle-confirms.ts',
        text: "if (status !== 'CLOSED') return isBelieved && isUnsettled(known);",
        instead: "if (status !== 'CLOSED') return isUnsettled(known);",
      },
    ],
    plans: () => [0, 1].map(confirmBeforeStaleRead),
  },
  {
    name: 'a function continues for a superseded execution',
    changes: [
      {
        file: 'core/order/order-record.ts',
        text: 'if (order.generation === generation) return order;',
        instead: 'if (order.generation >= generation) return order;',
      },
    ],
    plans: () => [lateFunction('late-start', 'slow-processing', 1, 15)],
  },
  {
    name: 'a superseded execution changes the record',
    changes: [
      {
        file: 'core/order/order-record.ts',
        text: "const conditions = ['generation = :current'];",
        instead: "const conditions = ['generation >= :current'];",
      },
      {
        file: 'core/order/order-record.ts',
        text: "changes, 'generation = :current')",
        instead: "changes, 'generation >= :current')",
      },
    ],
    plans: () => [lateFunction('late-record', 'validation-fails-after-documents', 3, 60)],
  },
  {
    name: 'a replaced signature is not sent again',
    changes: [
      {
        file: 'functions/upload-signature/handler.ts',
        text: 'uploadSignatureName(round, fileId, judged.versionId)',
        instead: "uploadSignatureName(round, fileId, '')",
      },
    ],
    plans: () => [
      plainPlan('replaced-signature', {
        signing: { delay: 0, early: false, replacedAfter: 3 },
        pauses: [{ functionName: 'accept-order', request: 1, after: false, seconds: 15, since: 15 }],
        abort: { after: 22, retryAfter: 4 },
      }),
    ],
  },
  {
    name: 'the first file of every Map is lost',
    changes: [
      {
        file: 'functions/read-order/handler.ts',
        text: 'return [...files.keys()];',
        instead: 'return [...files.keys()].slice(1);',
      },
    ],
    plans: () => [plainPlan('plain')],
  },
  ...ledgerMutations,
  ...decisionMutations,
  ...choicesMutations,
  ...clockMutations,
  ...signingMutations,
  ...answerMutations,
  ...recoveryMutations,
  ...waitingMutations,
  ...eventMutations,
];
