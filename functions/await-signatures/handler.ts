import { answerSignature } from '../shared/answer-signature.ts';
import { type Callback, saveCallback, wake } from '../shared/callback.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import { logger, operatorLog } from '../shared/operator-log.ts';
import { addEvent, changeWaiting, loadOrder, type OrderItem } from '../shared/order-record.ts';
import { judgeArrived } from '../shared/signatures.ts';
import { stageStatusAsRecorded } from '../shared/staging.ts';
import { stageToSign } from '../shared/to-sign.ts';

export interface AwaitSignaturesInput {
  orderRef: string;
  generation: number;
  round: number;
  taskToken: string;
}

/**
 * Tells the partner's signer what to sign (`to-sign.json` in staging, with each document's SHA-256 and where its
 * signature goes) and lets the execution wait, at no cost, until the last signature is in intake.
 */
async function awaitSignatures(input: AwaitSignaturesInput): Promise<void> {
  const { orderRef, generation, round, taskToken } = input;
  const order = await loadOrder(orderRef, generation);
  // A function that is started once more, late: the order is somewhere else by now.
  if (order.status !== 'WAITING_FOR_SIGNATURE') return logger.warn('The order does not wait for signatures any more');
  const callback: Callback = { orderRef, generation, what: 'signatures', round, taskToken };
  await saveCallback(callback);
  await stageToSign(order);
  if (await answerArrived(order)) return wake(callback, { round });
  const waits = await changeWaiting(order, { waitingFor: 'signatures' });
  if (waits) await stageStatusAsRecorded({ ...order, waitingFor: 'signatures' });
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
