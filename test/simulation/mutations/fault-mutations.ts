import type { OddAnswer, OddKind } from '../plan/odd-answers.ts';
import { type AwsFault, type OrderPlan, plainPlan } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

const oddAnswer = (orderRef: string, call: OddAnswer['call'], kind: OddKind, times = 1) =>
  plainPlan(orderRef, { oddAnswers: [{ call, kind, occurrence: 2, times }] });

const HOUR = 3_600;

/** The order comes in the middle of the outage. */
const duringOutage = () => plainPlan('during-outage', { badDay: { startsAfter: 9 * HOUR }, operatorAway: true });

const faultOfKms = (kind: AwsFault['kind'], times: number) =>
  plainPlan(`key-${kind}`, {
    signer: 'KMS',
    awsFaults: [{ service: 'KMS', kind, position: 1, times, after: false }],
  });

const replacedDocument = (replacedDocumentAfter: number, signer: OrderPlan['signer']) =>
  plainPlan(`replaced-${replacedDocumentAfter}-${signer}`, { replacedDocumentAfter, signer });

/** Mutations that odd answers, wrong clocks, an outage and faults of KMS show. */
export const faultMutations: readonly Mutation[] = [
  mutation(
    'the first read whose answer cannot be used ends the order',
    [oddAnswer('html-reads', 'read', 'a page of HTML', 3), oddAnswer('null-documents', 'read', 'documents: [null]', 3)],
    'core/reading/without-read.ts',
    'const isLast = unusable >= rules.unusableReadsLimit;',
    'const isLast = true;',
  ),
  mutation(
    'an identifier that is a number loses digits',
    [plainPlan('numbers')],
    'core/order-service/order-answer.ts',
    "const value = typeof body[name] === 'number' ? topLevelMember(text, name) : body[name];",
    "const value = typeof body[name] === 'number' ? String(body[name]) : body[name];",
    { profile: 'other' },
  ),
  mutation(
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
    { needsWrongClocks: true },
  ),
  mutation(
    'an order that an outage stopped is not started again by itself',
    [duringOutage()],
    'core/recovery/outage.ts',
    'if (!OUTAGES.has(error)) return undefined;',
    'return undefined;',
  ),
  mutation(
    'an execution that fails does not record its end',
    [duringOutage()],
    'core/recovery/record-execution-end.ts',
    'order && !order.dismissed && !order.removal && !isSuperseded(order, ended);',
    'order && ended.cause === order.orderRef;',
  ),
  mutation(
    'a KMS key that is only throttled counts as unusable',
    // The SDK makes two attempts.
    [faultOfKms('throttled', 2), faultOfKms('refused', 1)],
    'core/signing/kms-key.ts',
    "if (fault.$fault !== 'client' || isThrottlingError(fault) || isTransientError(fault)) throw error;",
    "if (fault.$fault !== 'client') throw error;",
  ),
  mutation(
    'a replaced document is not noticed',
    [replacedDocument(1, 'partner'), replacedDocument(1, 'KMS'), replacedDocument(2, 'partner')],
    'functions/upload-signature/handler.ts',
    "if (hash.digest('hex') === sha256) return;",
    "if (hash.digest('hex') !== '') return;",
  ),
];
