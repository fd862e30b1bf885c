import { lambdaHandler } from '../shared/lambda-handler.ts';
import { askedSince, isAsked, refuseOverdue } from '../shared/order/awaited.ts';
import { type Callback, saveCallback } from '../shared/order/callback.ts';
import { logger, operatorLog } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { changeWaiting, loadOrder } from '../shared/order/order-record.ts';
import { stageStatusAsRecorded } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { wake } from '../shared/order/wake.ts';
import { answerSignature } from '../shared/signing/answer-signature.ts';
import { judgeArrived } from '../shared/signing/signatures.ts';
import { stageToSign } from '../shared/signing/to-sign.ts';

export interface AwaitSignaturesInput {
  orderRef: string;
  generation: number;
  round: number;
  taskToken: string;
}

/**
 * Tells the partner's signer what to sign (`to-sign.json` in staging, with each document's SHA-256 and where its
 * signature goes) and lets the execution wait, at no cost, until the last signature is in intake.
 * @throws SignaturesOverdue
 */
async function awaitSignatures(input: AwaitSignaturesInput): Promise<void> {
  const { orderRef, generation, round, taskToken } = input;
  const order = await loadOrder(orderRef, generation);
  // A function that is started once more, late: the order is somewhere else by now.
  if (order.status !== 'WAITING_FOR_SIGNATURE') return logger.warn('The order does not wait for signatures any more');
  const callback: Callback = { orderRef, generation, what: 'signatures', round, taskToken };
  await saveCallback(callback);
  const asked = isAsked(order, 'signatures', round) ? order.awaited?.page : undefined;
  const page = await stageToSign(order, asked);
  if (await answerArrived(order)) return wake(callback, { round });
  await refuseOverdue(order, callback);
  const isNew = page !== asked;
  // The wait begins again: whoever was asked knows it.
  if (!isNew && order.waitingFor === 'signatures') return;
  const awaited = { ...askedSince(order, 'signatures', round), ...(page && { page }) };
  const waits = await changeWaiting(order, { waitingFor: 'signatures', awaited });
  if (waits) await stageStatusAsRecorded({ ...order, waitingFor: 'signatures' });
  if (isNew)
    await addEvent(orderRef, 'Waits for signatures', { round, documents: order.signaturesRound?.fileIds.length ?? 0 });
}

/**
 * Signatures that came before the documents were staged, or in an earlier execution, are judged now.
 * @returns whether there is a usable one for every document.
 */
async function answerArrived(order: OrderItem): Promise<boolean> {
  const judged = await judgeArrived(order);
  for (const [fileId, verdict] of judged) {
    if (!verdict.passed || verdict.note !== undefined) await answerSignature(order, fileId, verdict);
  }
  return (order.signaturesRound?.fileIds ?? []).every((fileId) => judged.get(fileId)?.passed);
}

export const handler = lambdaHandler(awaitSignatures).use(operatorLog());
