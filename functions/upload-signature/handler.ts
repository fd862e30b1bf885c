import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { orderStep } from '../../core/driving/order-step.ts';
import {
  type CallContext,
  DocumentChanged,
  Rejected,
  ServiceUnavailable,
  SignatureUnusable,
} from '../../core/errors.ts';
import { logger } from '../../core/log.ts';
import { inWords } from '../../core/messages/english.ts';
import { count } from '../../core/metrics.ts';
import { readContext, uploadSignatureName } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { findOperation, perform } from '../../core/order/order-ledger.ts';
import { type CreatedOrder, loadCreatedOrder } from '../../core/order/order-record.ts';
import { withPatience } from '../../core/order/throttling.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { listToSign, markChanged, type ToSign } from '../../core/order/to-sign.ts';
import { DOCUMENT_NUMBER } from '../../core/order/what-happened.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { FileInput, FileOutcome } from '../../core/reading/cursor.ts';
import { compareSettings } from '../../core/settings.ts';
import { answerSignature, rejectSignature } from '../../core/signing/answer-signature.ts';
import { judgeSignatureOf } from '../../core/signing/signatures.ts';

export interface SignatureToSend {
  position: number;
  round: number;
  document: ToSign;
  /** Version of the signature in intake. */
  versionId: string;
}

/**
 * Downloads the document again and compares it with the staged one. The service shows nothing else about a document that
 * would reveal a change (specification, 2.1 and 2.4: only `fileId`).
 * @throws DocumentChanged if the document has changed. This is recorded, and the next execution stages the document again.
 */
export async function compareDocument(order: CreatedOrder, signed: SignatureToSend): Promise<void> {
  const { orderRef, orderId } = order;
  const { position, round, versionId } = signed;
  const { fileId, sha256 } = signed.document;
  const service = orderService(readContext(orderRef, 'download-document'));
  const { body } = await withPatience(order, () => service.downloadDocument(orderId, fileId));
  const hash = createHash('sha256');
  await pipeline(body, hash).catch((error: Error) => {
    const cut = `Order ${orderRef}: the download to compare ${DOCUMENT_NUMBER}${position + 1} broke off (${error.name}). Nothing was sent.`;
    throw new ServiceUnavailable(cut, { cause: error });
  });
  if (hash.digest('hex') === sha256) return;
  await markChanged(orderRef, round, fileId, versionId);
  throw new DocumentChanged(
    `Order ${orderRef}: ${DOCUMENT_NUMBER}${position + 1} has changed at the order service since it was staged to be signed. ` +
      'Its signature was not sent. Ask the service why. A retry stages the document again and waits for its signature.',
  );
}

/**
 * Checks one detached signature in intake and sends it to the service (specification, endpoint 6). Sends exactly the bytes
 * that were checked, decoded if the signature is text. Before that, makes sure that the document has not changed at the service.
 */
async function uploadSignature({ orderRef, generation, position }: FileInput): Promise<FileOutcome> {
  const order = await loadCreatedOrder(orderRef, generation);
  const { number: round, fileIds } = order.rounds?.signatures ?? { number: 0, fileIds: [] };
  const fileId = fileIds[position] ?? '';
  const judged = await judgeSignatureOf({ ...order, staged: await listToSign(orderRef) }, fileId);
  if (!judged) throw unusable(orderRef, position, 'is not in intake');
  const name = uploadSignatureName(round, fileId, judged.versionId);
  if (!judged.passed) {
    // The signature was already sent. It does not matter that it now fails the gate.
    if ((await findOperation(orderRef, name))?.knowledge.state === 'done') return { position, postponed: false };
    await answerSignature(order, fileId, judged);
    throw unusable(orderRef, position, 'cannot be used. The reason is in staging under signatures-rejected/');
  }
  const { bytes, document, versionId, unchecked, unknownRevocation, signers } = judged;
  // Times are stored as text, because the table cannot store dates.
  const facts = JSON.parse(JSON.stringify({ signers, unchecked: unchecked?.problem }));
  await send(order, { fileId, position, bytes, name, facts }, async () => {
    if (compareSettings.compareDocuments) await compareDocument(order, { position, round, document, versionId });
    if (unchecked) await recordUnchecked(orderRef, position, unchecked.problem);
    if (unknownRevocation === undefined) return;
    count('RevocationUnknown');
    logger.warn(unknownRevocation.problem);
  });
  return { position, postponed: false };
}

interface UsableSignature {
  fileId: string;
  position: number;
  bytes: Uint8Array;
  name: string;
  /** The record of a signature that was sent. Personal data: shown to people, never logged. */
  facts: Record<string, unknown>;
}

async function send(
  order: CreatedOrder,
  { fileId, position, bytes, name, facts }: UsableSignature,
  prepare: () => Promise<void>,
): Promise<void> {
  const open = async () => Readable.from([bytes]);
  const size = bytes.length;
  const file = { name: `signature-${position + 1}.sig`, contentType: 'application/octet-stream', size, open };
  let refusal: unknown;
  const call = async (context: CallContext) => {
    const answer = orderService(context).uploadSignature(order.orderId, fileId, file);
    answer.catch((error: unknown) => {
      refusal = error;
    });
    const signatureId = await answer;
    return { ...(signatureId === undefined ? { isUnnamed: true } : { signatureId }), ...facts };
  };
  await perform({ order, name, unknown: 'again', prepare, call }).catch(async (error: unknown) => {
    // The service may also refuse the download in `prepare`, which says nothing about the signature.
    if (error instanceof Rejected && error === refusal) await publishRefusal(order, fileId, error);
    throw error;
  });
}

const unusable = (orderRef: string, position: number, why: string): SignatureUnusable =>
  new SignatureUnusable(
    `Order ${orderRef}: the signature of ${DOCUMENT_NUMBER}${position + 1} ${why}. Nothing was sent. The order waits for a valid one.`,
  );

/** Reports that a signature could not be checked. */
async function recordUnchecked(orderRef: string, position: number, why: string): Promise<void> {
  count('SignaturesUnchecked');
  await addToTimeline(orderRef, 'A signature is passed on unchecked', { document: position + 1, why });
}

/** Stages for the signer that the service refused the signature, and what to do. */
async function publishRefusal(order: OrderItem, fileId: string, { call }: Rejected): Promise<void> {
  await rejectSignature(order, fileId, inWords('signatureRefused', { httpStatus: call.httpStatus }), call.excerpt);
}

export const handler = orderStep(uploadSignature, ({ position }) => ({ position, postponed: true }));
