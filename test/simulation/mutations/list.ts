import { type OrderPlan, plainPlan, type ServiceFaultKind } from '../plan/order-plan.ts';
import { answerMutations } from './answer-mutations.ts';
import { ledgerMutations } from './ledger-mutations.ts';
import { type Mutation, mutation } from './mutation.ts';
import { peopleMutations } from './people-mutations.ts';

const ledger = 'core/ledger/perform-operation.ts';

const lostCreation = (orderRef: string, kind: ServiceFaultKind) =>
  plainPlan(orderRef, { serviceFaults: [{ kind, call: 'create', occurrence: 1, after: true, times: 1 }] });

const replacedDocument = (replacedDocumentAfter: number, signer: OrderPlan['signer']) =>
  plainPlan(`replaced-${replacedDocumentAfter}-${signer}`, { replacedDocumentAfter, signer });

/** The simulation must notice each of these. `npm run simulate -- --mutations` tries them one by one. */
export const mutations: readonly Mutation[] = [
  mutation(
    'the wait of an execution that takes over an order does not count the time of a call',
    // An operator retries at once, while a function of the aborted execution is still waiting for the answer to a read.
    [
      plainPlan('retry-during-read', {
        scenario: 'slow-processing',
        interruptions: [{ functionName: 'read-order', request: 2, after: false, seconds: 7.9, since: 20 }],
        abort: { after: 20.6, retryAfter: 0 },
      }),
    ],
    'functions/create-order/handler.ts',
    'sleepOf(Math.max(wait, secondsUntil(nextReadAt)))',
    'sleepOf(Math.max(0, wait - 8, secondsUntil(nextReadAt) - 8))',
  ),
  mutation(
    'a redriven execution reads at once',
    [1, 2, 3, 4, 5, 6].map((request) =>
      plainPlan(`redriven-${request}`, {
        interruptions: [{ functionName: 'read-order', request, after: false, seconds: 2, acts: ['stop', 'redrive'] }],
      }),
    ),
    'core/reading/without-read.ts',
    'const afterStop = stoppedAt && timeIn(waitOfReadBefore(record, Date.parse(stoppedAt)), Date.parse(stoppedAt));',
    'const afterStop = undefined;',
  ),
  {
    ...mutation(
      "a time that another machine recorded is compared with this machine's clock without a margin",
      // A function of an aborted execution gets an answer that asks for a wait of 45 seconds. It records the time, and then
      // its machine is busy for a minute. So the next execution goes by that time on another machine, whose clock is ahead.
      [
        plainPlan('time-of-another-machine', {
          scenario: 'slow-processing',
          polls: [{ occurrence: 2, seconds: 45 }],
          interruptions: [
            { functionName: 'read-order', request: 2, after: false, seconds: 2.4, since: 10 },
            { functionName: 'read-order', request: 4, after: false, seconds: 60, since: 12 },
          ],
          abort: { after: 10.2, retryAfter: 0 },
        }),
      ],
      'core/time.ts',
      'const CLOCKS_DIFFER_BY = 2;',
      'const CLOCKS_DIFFER_BY = 0;',
    ),
    needsWrongClocks: true,
  },
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
        text: "isActive, isNewest.condition].join(' AND '),\n    { ...values, ...isNewest.values },",
        instead: "isActive].join(' AND '),\n    { ...values },",
      },
    ],
    // A function of an aborted execution continues long after the next execution has started.
    plans: [
      plainPlan('late-record', {
        scenario: 'validation-fails-after-documents',
        interruptions: [{ functionName: 'read-order', request: 3, after: false, seconds: 60, since: 10 }],
        abort: { after: 11, retryAfter: 0 },
      }),
    ],
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
    'a replaced document is not noticed',
    [replacedDocument(1, 'partner'), replacedDocument(1, 'KMS'), replacedDocument(2, 'partner')],
    'functions/upload-signature/handler.ts',
    "if (hash.digest('hex') === sha256) return;",
    "if (hash.digest('hex') !== '') return;",
  ),
  mutation(
    'the first file of every Map is lost',
    [plainPlan('plain')],
    'core/reading/output.ts',
    'orderRef, generation, position })),',
    'orderRef, generation, position })).slice(1),',
  ),
  {
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
        text: "if (!isProof || before.state === 'open') return OPEN;",
        instead: 'if (!isProof) return NONE;',
      },
    ],
    // The service creates the order, but its answer is lost or useless. Or the function is killed at its sixth request, when
    // the ledger has the creation but the order has no `orderId`.
    plans: [
      lostCreation('lost-creation', 'reset'),
      lostCreation('failed-creation', '502'),
      plainPlan('killed-creation', { interruptions: [{ functionName: 'create-order', request: 6, after: false }] }),
    ],
  },
  mutation(
    'a confirm of unknown outcome is not looked up before it is sent again',
    // One of these requests is the confirm, and the service carries it out.
    [4, 5, 6, 7].map((request) =>
      plainPlan(`killed-${request}`, { interruptions: [{ functionName: 'confirm-offer', request, after: true }] }),
    ),
    ledger,
    'if (isOpen) refuseWhileUnknown(operation, attempt);',
    "if (isOpen && operation.name === 'create') refuseWhileUnknown(operation, attempt);",
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
    'if (!isToRead(error)) throw error;',
    'if (!isToRead(error) || isRefusal(error)) throw error;',
  ),
  ...answerMutations,
  ...ledgerMutations,
  ...peopleMutations,
];
