import { type AwsFault, type OrderPlan, plainPlan } from '../plan/order-plan.ts';
import { planOrder } from '../plan/plan.ts';
import { type Mutation, mutation } from './mutation.ts';

const HOUR = 3_600;
const changeOrder = 'core/order/change-order.ts';
const decisionFile = 'core/offers/decision-file.ts';

/** The order comes in the middle of the outage. */
const duringOutage = () => plainPlan('during-outage', { badDay: { startsAfter: 9 * HOUR }, operatorAway: true });

const faultOfKms = (kind: AwsFault['kind'], times: number) =>
  plainPlan(`key-${kind}`, { signer: 'KMS', awsFaults: [{ service: 'KMS', kind, position: 1, times, after: false }] });

/**
 * The order is confirmed after 30 seconds and closed 9 seconds later. The read after 40 seconds finds that. The last decision
 * comes a second before this read. Of three orders, at least one decides for another offer.
 */
const decidedLate = (name: string, interruptions: OrderPlan['interruptions'] = []) =>
  [1, 2, 3].map((order) =>
    plainPlan(`${name}-${order}`, { choose: 'manual', signer: 'KMS', furtherDecisions: [4, 5], interruptions }),
  );

export const peopleMutations: readonly Mutation[] = [
  {
    name: 'an older decision is written over a newer one',
    changes: [
      {
        file: decisionFile,
        text: 'for (let current = order; ; current = await readAgain(current)) {\n    const stored = await readObjectUpTo(DECISION_BYTES, file);',
        instead:
          'const first = await readObjectUpTo(DECISION_BYTES, file);\n  for (let current = order; ; current = await readAgain(current)) {\n    const stored = first;',
      },
      {
        file: decisionFile,
        text: 'if ((await headObject(file))?.versionId === stored.versionId) return taken;',
        instead: 'return taken;',
      },
    ],
    // Its partner decides again and again.
    plans: [planOrder('11', 'order-331', ['closed-by-bank', 'quick-decisions'])],
  },
  mutation(
    'a decision that was replaced before it was read is not told',
    // Others overwrite the decision at the same moment.
    [1, 2].map((order) => plainPlan(`at-once-${order}`, { choose: 'manual', furtherDecisions: [0, 0, 0] })),
    'functions/receive-upload/handler.ts',
    'if (versionId !== undefined) await noteUnread(order, versionId, isEarly);',
    '',
  ),
  mutation(
    'status.json is not published',
    [plainPlan('unpublished')],
    'core/staging/send-outbox.ts',
    'for (const name of names) {',
    "for (const name of names.filter((one) => one !== 'status.json')) {",
  ),
  mutation(
    'a decision that came just before the end stays chosen in choices.json',
    decidedLate('decided-late'),
    changeOrder,
    'version > 0 && isFinal(status),',
    'false,',
  ),
  mutation(
    'a slow function publishes choices.json after the end, whatever the page says by then',
    // `receive-upload` has made the page when it pauses, while the read finds the order CLOSED.
    decidedLate('staged-late', [{ functionName: 'receive-upload', request: 5, after: false, seconds: 3, since: 38 }]),
    'core/staging/pages.ts',
    'writeObjectIf(page, text, etag);',
    'writeObjectIf(page, text, (await readObject(page))?.etag);',
  ),
  {
    name: 'a change is written without its pages, which are only published',
    changes: [
      { file: changeOrder, text: '...outbox },', instead: '...outbox, unpublished: undefined },' },
      {
        file: changeOrder,
        text: 'if (changed) return changed;',
        instead: "if (changed) return { ...changed, ...withOutbox(before, [], ['status.json', 'choices.json']) };",
      },
    ],
    // The read that finds the order CLOSED is killed after it has recorded that.
    plans: decidedLate('killed-read', [{ functionName: 'read-order', request: 8, after: false, since: 38 }]),
  },
  {
    name: 'a change is written without its event, which is only sent',
    changes: [
      { file: changeOrder, text: '...outbox },', instead: '...outbox, unsentEvents: undefined },' },
      {
        file: changeOrder,
        text: 'if (changed) return changed;',
        instead: 'if (changed) return { ...changed, ...withOutbox(before, eventsOf(before), []) };',
      },
    ],
    // The function that has recorded a change is killed just before it tells of it.
    plans: [
      plainPlan('killed-before-telling', {
        interruptions: [{ functionName: 'read-order', request: 1, after: false, telling: true }],
      }),
    ],
  },
  mutation(
    'a write that is made again tells of its change again',
    // The answer to each request is lost once, so each is made again.
    [
      plainPlan('answers-are-lost', {
        awsFaults: Array.from({ length: 100 }, (_, index) => {
          return { service: 'DynamoDB', kind: 'reset', position: 2 * index + 1, times: 1, after: true };
        }),
      }),
    ],
    changeOrder,
    'changeOnce(before, write, eventsOf(before));',
    'changeOnce(before, write, eventsOf(read));',
  ),
  mutation(
    'an order that an outage stopped is not started again by itself',
    [duringOutage()],
    'core/recovery/outage.ts',
    'if (!HEALING.has(error) && !isUnsent) return undefined;',
    'return undefined;',
  ),
  mutation(
    'an execution that fails does not record its end',
    [duringOutage()],
    'core/recovery/record-execution-end.ts',
    'if (order.dismissed || order.removal || isSuperseded(order, ended)) break;',
    'break;',
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
    'a slow function writes that a CLOSED order waits for a decision',
    // The first decision names no offer. `choose-offer` has seen it and stands still before it records that the order waits.
    // The right decision comes after a minute and wakes the order, which is CLOSED when `choose-offer` continues.
    [5, 6, 7].map((request) =>
      plainPlan(`slow-choose-offer-${request}`, {
        choose: 'manual',
        decision: { delay: 0, early: true, nonsenseFirst: true, choices: 1 },
        interruptions: [{ functionName: 'choose-offer', request, after: false, seconds: 150 }],
      }),
    ),
    'core/driving/change-record.ts',
    "const same = 'generation = :current AND attribute_not_exists(failure) AND #status = :status';",
    "const same = 'generation = :current AND attribute_not_exists(failure)';",
  ),
];
