import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { DocumentChanged, ServiceUnavailable } from '../../core/errors.ts';
import { readContext } from '../../core/order/operation-names.ts';
import type { CreatedOrder } from '../../core/order/order-record.ts';
import { withPatience } from '../../core/order/patience.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import { markChanged, type ToSign } from '../../core/signing/to-sign.ts';

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
    const cut = `Order ${orderRef}: the download to compare document number ${position + 1} broke off (${error.name}). Nothing was sent.`;
    throw new ServiceUnavailable(cut, { cause: error });
  });
  if (hash.digest('hex') === sha256) return;
  await markChanged(orderRef, round, fileId, versionId);
  throw new DocumentChanged(
    `Order ${orderRef}: document number ${position + 1} has changed at the order service since it was staged to be signed. ` +
      'Its signature was not sent. Ask the service why. A retry stages the document again and waits for its signature.',
  );
}
