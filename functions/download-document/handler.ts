import { pipeline } from 'node:stream/promises';
import { updateOrder } from '../../core/aws/order-table.ts';
import { streamObject } from '../../core/aws/stream-object.ts';
import { orderStep } from '../../core/driving/order-step.ts';
import { ServiceUnavailable, UnexpectedResponse } from '../../core/errors.ts';
import { readContext } from '../../core/order/operation-names.ts';
import { NOT_ASKED } from '../../core/order/order-item.ts';
import { type CreatedOrder, loadCreatedOrder } from '../../core/order/order-record.ts';
import { withPatience } from '../../core/order/throttling.ts';
import { findToSign, saveToSign, type ToSign } from '../../core/order/to-sign.ts';
import { DOCUMENT_NUMBER } from '../../core/order/what-happened.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { FileInput, FileOutcome } from '../../core/reading/cursor.ts';
import { limitSettings, stackSettings } from '../../core/settings.ts';
import { digestingStream } from '../../core/signing/digesting-stream.ts';
import { toSignKey } from '../../core/staging/staging.ts';

/**
 * Streams one document to sign from the service into staging (specification, endpoint 5). Does nothing if this round has already staged the
 * document, unless it has changed at the service since.
 */
async function downloadDocument({ orderRef, generation, position }: FileInput): Promise<FileOutcome> {
  const order = await loadCreatedOrder(orderRef, generation);
  const { number: round, fileIds } = order.rounds?.signatures ?? { number: 0, fileIds: [] };
  const fileId = fileIds[position];
  if (fileId === undefined)
    throw new UnexpectedResponse(
      `Order ${orderRef} has no ${DOCUMENT_NUMBER}${position + 1} to sign. Nothing was done.`,
    );
  const staged = await findToSign(orderRef, round, fileId);
  if (staged && !staged.changedAt) return { position, postponed: false };
  const { versionId, contentType, name, count } = await stageDocument(order, fileId, position);
  // People were asked to sign the earlier version. They are asked again.
  if (staged) await updateOrder(orderRef, NOT_ASKED, 'generation = :current', { ':current': generation });
  await saveToSign(orderRef, round, {
    fileId,
    ...(name !== undefined && { name }),
    key: toSignKey(orderRef, fileId),
    versionId,
    contentType,
    size: count.size(),
    ...count.digests(),
    ...(staged && earlierVersions(staged)),
  });
  return { position, postponed: false };
}

/** Downloads and stages the document. If either side fails, ends the other one, and nothing is staged. */
async function stageDocument(order: CreatedOrder, fileId: string, position: number) {
  const { orderRef, orderId } = order;
  const service = orderService(readContext(orderRef, 'download-document'));
  const document = await withPatience(order, () => service.downloadDocument(orderId, fileId));
  const { body, length, contentType = 'application/octet-stream', name } = document;
  const most = limitSettings.documentBytes;
  if (length !== undefined && length > most) {
    body.destroy();
    throw unusable(orderRef, position, tooLarge());
  }
  const count = digestingStream(most);
  const object = { bucket: stackSettings.stagingBucket, key: toSignKey(orderRef, fileId), contentType };
  const [staged, downloaded] = await Promise.allSettled([
    streamObject({ ...object, body: count.stream }),
    pipeline(body, count.stream),
  ]);
  if (staged.status === 'fulfilled') return { versionId: staged.value, contentType, name, count };
  const fault = count.fault();
  if (fault !== undefined) throw unusable(orderRef, position, `${fault}. ${NOT_STAGED}`);
  if (count.size() > most) throw unusable(orderRef, position, tooLarge());
  const cause = staged.reason as Error;
  // A download that fails ends the upload with its own error.
  const isCut = downloaded.status === 'rejected' && downloaded.reason === cause;
  const what = `${DOCUMENT_NUMBER}${position + 1} to sign`;
  const failed = isCut ? `the download of ${what} broke off` : `${what} could not be staged`;
  throw new ServiceUnavailable(`Order ${orderRef}: ${failed} (${cause.name}). It will be downloaded again.`, { cause });
}

const unusable = (orderRef: string, position: number, why: string): UnexpectedResponse =>
  new UnexpectedResponse(`Order ${orderRef}: ${DOCUMENT_NUMBER}${position + 1} to sign ${why}`);

const NOT_STAGED = 'It was not staged, and nobody is asked to sign it. Ask the order service what it is, then retry.';

const tooLarge = () =>
  `is larger than the ${limitSettings.documentBytes} bytes of the stage's setting limits.documentBytes. Nothing was staged. Raise the setting, deploy and retry.`;

/** The digests of earlier versions. They show that a signature belongs to an earlier version of the document. */
function earlierVersions({ sha256, sha384, sha512, earlier = [], signatureBefore }: ToSign) {
  return { earlier: [...earlier, { sha256, sha384, sha512 }], signatureBefore };
}

export const handler = orderStep(downloadDocument, ({ position }) => ({ position, postponed: true }));
