import { Readable } from 'node:stream';
import { type CallContext, Rejected, SignatureUnusable } from '../../core/errors.ts';
import { uploadSignatureName } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { findOperation, perform } from '../../core/order/order-ledger.ts';
import { type CreatedOrder, loadCreatedOrder } from '../../core/order/order-record.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import { orderStep } from '../../core/people/operator-log.ts';
import type { FileInput, FileOutcome } from '../../core/reading/cursor.ts';
import { compareSettings } from '../../core/settings.ts';
import { answerSignature, rejectSignature } from '../../core/signing/answer-signature.ts';
import { judgeSignatureOf } from '../../core/signing/signatures.ts';
import { compareDocument } from './compare-document.ts';

/**
 * Checks one detached signature in intake and sends it to the service (specification, endpoint 6). Sends exactly the bytes
 * that were checked. Before that, makes sure that the document has not changed at the service.
 */
async function uploadSignature({ orderRef, generation, position }: FileInput): Promise<FileOutcome> {
  const order = await loadCreatedOrder(orderRef, generation);
  const { number: round, fileIds } = order.signaturesRound ?? { number: 0, fileIds: [] };
  const fileId = fileIds[position] ?? '';
  const judged = await judgeSignatureOf(order, fileId);
  if (!judged) throw unusable(orderRef, position, 'is not in intake');
  const name = uploadSignatureName(round, fileId, judged.versionId);
  if (!judged.passed) {
    // The signature was sent before. It does not matter that it fails the gate by now.
    if ((await findOperation(orderRef, name))?.knowledge.state === 'done') return { position, postponed: false };
    await answerSignature(order, fileId, judged);
    throw unusable(orderRef, position, 'cannot be used. The reason is in staging under signatures-rejected/');
  }
  const { bytes, document, versionId, note } = judged;
  await send(order, { fileId, position, bytes, name }, async () => {
    if (compareSettings.compareDocuments) await compareDocument(order, { position, round, document, versionId });
    if (note !== undefined) await recordNote(orderRef, position, note);
  });
  return { position, postponed: false };
}

interface UsableSignature {
  fileId: string;
  position: number;
  bytes: Uint8Array;
  name: string;
}

async function send(
  order: CreatedOrder,
  { fileId, position, bytes, name }: UsableSignature,
  prepare: () => Promise<void>,
): Promise<void> {
  const open = async () => Readable.from([bytes]);
  const size = bytes.length;
  const file = { name: `signature-${position + 1}.sig`, contentType: 'application/octet-stream', size, open };
  let refusal: unknown;
  const call = (context: CallContext) =>
    orderService(context)
      .uploadSignature(order.orderId, fileId, file)
      .catch((error: unknown) => {
        refusal = error;
        throw error;
      });
  await perform({ order, name, unknown: 'again', prepare, call }).catch(async (error: unknown) => {
    // The service may also refuse the download in `prepare`, which says nothing about the signature.
    if (error instanceof Rejected && error === refusal) await stageRefusal(order, fileId, error);
    throw error;
  });
}

function unusable(orderRef: string, position: number, why: string): SignatureUnusable {
  return new SignatureUnusable(
    `Order ${orderRef}: the signature of document number ${position + 1} ${why}. Nothing was sent. The order waits for a valid one.`,
  );
}

/** Records in the timeline that a signature could not be checked completely. */
async function recordNote(orderRef: string, position: number, why: string): Promise<void> {
  await addEvent(orderRef, 'A signature is passed on unchecked', { document: position + 1, why });
}

/** Stages for the signer that the service refused the signature, and what to do. */
async function stageRefusal(order: OrderItem, fileId: string, { call }: Rejected): Promise<void> {
  const problem = `The order service refused this signature (${call.httpStatus}). Upload a valid one under the same name. Then an operator must retry the order.`;
  await rejectSignature(order, fileId, problem, call.excerpt);
}

export const handler = orderStep(uploadSignature, ({ position }) => ({ position, postponed: true }));
