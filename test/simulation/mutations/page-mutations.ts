import { type OrderPlan, plainPlan } from '../plan/order-plan.ts';
import { type Mutation, mutation } from './mutation.ts';

/**
 * The order is confirmed after 30 seconds and closed 9 seconds later. The read after 40 seconds finds that. The last decision
 * comes a second before this read. Of three orders, at least one decides for another offer.
 */
const decidedLate = (name: string, interrupted: () => Partial<OrderPlan> = () => ({})) =>
  [1, 2, 3].map((order) =>
    plainPlan(`${name}-${order}`, { choose: 'manual', signer: 'KMS', furtherDecisions: [4, 5], ...interrupted() }),
  );

/** `receive-upload` has made the page when it pauses, while the read finds the order CLOSED. */
const slowReceive = () => ({
  interruptions: [{ functionName: 'receive-upload', request: 5, after: false, seconds: 3, since: 38 }],
});
/** The read that finds the order CLOSED is killed after it has recorded that. */
const killedRead = () => ({ interruptions: [{ functionName: 'read-order', request: 8, after: false, since: 38 }] });

export const pageMutations: readonly Mutation[] = [
  mutation(
    'status.json is not published',
    [plainPlan('unpublished')],
    'core/people/send-outbox.ts',
    'for (const name of names) {',
    "for (const name of names.filter((one) => one !== 'status.json')) {",
  ),
  mutation(
    'a decision that came just before the end stays chosen in choices.json',
    decidedLate('decided-late'),
    'core/order/change-order.ts',
    'version > 0 && isFinal(status),',
    'false,',
  ),
  mutation(
    'a slow function publishes choices.json after the end, whatever the page says by then',
    decidedLate('staged-late', slowReceive),
    'core/people/pages.ts',
    'writeObjectIf(page, text, etag);',
    'writeObjectIf(page, text, (await readObject(page))?.etag);',
  ),
  {
    name: 'a change is written without its pages, which are only published',
    changes: [
      { file: 'core/order/change-order.ts', text: '...outbox },', instead: '...outbox, unpublished: undefined },' },
      {
        file: 'core/order/change-order.ts',
        text: 'if (changed) return changed;',
        instead: "if (changed) return { ...changed, ...withOutbox(before, [], ['status.json', 'choices.json']) };",
      },
    ],
    plans: decidedLate('killed-read', killedRead),
  },
];
