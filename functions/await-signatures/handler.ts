import middy from '@middy/core';
import { type Callback, saveCallback, wake } from '../shared/callback.ts';
import { environment } from '../shared/environment.ts';
import { signatureKey } from '../shared/intake-key.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { addEvent, changeWaiting, loadOrder, type OrderItem } from '../shared/order-record.ts';
import { missingSignatures } from '../shared/signatures.ts';
import { stageJson, stageStatus } from '../shared/staging.ts';
import { queryItems } from '../shared/table.ts';
import type { ToSign } from '../shared/to-sign.ts';

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
  const callback: Callback = { orderRef, generation, what: 'signatures', round, taskToken };
  await saveCallback(callback);
  await stageToSign(order);
  if ((await missingSignatures(order)).length === 0) return wake(callback, { round });
  const waits = await changeWaiting(order, { waitingFor: 'signatures' });
  if (waits) await stageStatus({ ...order, waitingFor: 'signatures' });
  await addEvent(orderRef, 'Waits for signatures', { round, documents: order.signaturesRound?.fileIds.length ?? 0 });
  // A signature may have come between the look above and the record's change: `receive` looks after storing, this looks last.
  if ((await missingSignatures(order)).length === 0) await wake(callback, { round });
}

async function stageToSign({ orderRef, signaturesRound }: OrderItem): Promise<void> {
  if (!signaturesRound) return;
  const staged = await queryItems<ToSign>(orderRef, `to-sign#${signaturesRound.number}#`);
  const documents = staged.map(({ fileId, key, versionId, contentType, size, sha256 }) => {
    const signature = `s3://${environment('INTAKE_BUCKET')}/${signatureKey(orderRef, fileId)}`;
    return { fileId, key, versionId, contentType, size, sha256, signature };
  });
  await stageJson(orderRef, 'to-sign.json', { orderRef, round: signaturesRound.number, documents });
}

export const handler = middy(awaitSignatures).use(operatorLog());
