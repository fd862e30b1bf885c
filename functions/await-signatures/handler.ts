import { askPeople } from '../../core/driving/change-record.ts';
import { orderStep } from '../../core/driving/order-step.ts';
import { logger } from '../../core/log.ts';
import { askedSince, isAsked } from '../../core/order/order-item.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import {
  type Callback,
  loadWaitingOrder,
  refuseOverdue,
  saveCallback,
  type WaitingOrder,
} from '../../core/order/waits.ts';
import { wake } from '../../core/order/wake.ts';
import { answerSignature } from '../../core/signing/answer-signature.ts';
import { judgeArrived } from '../../core/signing/signatures.ts';
import { publishPage } from '../../core/staging/pages.ts';

export type AwaitSignaturesInput = Omit<Callback, 'what'>;

/**
 * Publishes `to-sign.json`, which lists what the partner's signer must sign. The execution waits at no cost until every signature is in
 * intake.
 * @throws SignaturesOverdue
 */
async function awaitSignatures(input: AwaitSignaturesInput): Promise<void> {
  const { orderRef, generation, round, taskToken } = input;
  const order = await loadWaitingOrder(orderRef, generation);
  // The function may be invoked a second time, late.
  if (order.status !== 'WAITING_FOR_SIGNATURE') return logger.warn('The order does not wait for signatures any more');
  const callback: Callback = { orderRef, generation, what: 'signatures', round, taskToken };
  await saveCallback(callback);
  const isNew = !isAsked(order, 'signatures', round);
  if (isNew) await publishPage(order, 'to-sign.json');
  if (await answerArrived(order)) return wake(callback, { round });
  await refuseOverdue(order, callback);
  await askPeople(order, { waitingFor: 'signatures', awaited: askedSince(order, 'signatures', round) });
  if (isNew)
    await addToTimeline(orderRef, 'Waits for signatures', {
      round,
      documents: order.rounds?.signatures?.fileIds.length ?? 0,
    });
}

/** Stages the verdicts on the signatures that are already in intake. Returns whether every document has a valid signature. */
async function answerArrived(order: WaitingOrder): Promise<boolean> {
  const judged = await judgeArrived(order);
  for (const [fileId, verdict] of judged) await answerSignature(order, fileId, verdict);
  return (order.rounds?.signatures?.fileIds ?? []).every((fileId) => judged.get(fileId)?.passed);
}

export const handler = orderStep(awaitSignatures);
