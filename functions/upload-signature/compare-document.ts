import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { DocumentChanged, ServiceUnavailable } from '../shared/errors.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { orderService } from '../shared/order/order-service.ts';
import { withPatience } from '../shared/order/patience.ts';
import { markChanged, type ToSign } from '../shared/signing/to-sign.ts';

/** Which signature is to be sent for which document. */
export interface Signed {
  position: number;
  round: number;
  /** The document as it was staged. */
  document: ToSign;
  /** Version of the signature in intake. */
  versionId: string;
}

/**
 * Downloads the document once more and compares it with the one that was staged: the service shows nothing else by which a change
 * could be noticed (specification, 2.1 and 2.4: only `fileId`).
 * @throws DocumentChanged when it has other bytes now; the record says so, and the next execution stages it anew.
 */
export async function compareDocument(order: OrderItem & { orderId: string }, signed: Signed): Promise<void> {
  const { orderRef, orderId } = order;
  const { position, round, versionId } = signed;
  const { fileId, sha256 } = signed.document;
  const { body } = await withPatience(order, () => orderService().downloadDocument(orderId, fileId));
  const hash = createHash('sha256');
  await pipeline(body, hash).catch((error: Error) => {
    const cut = `Order ${orderRef}: the download of document number ${position + 1}, to compare it, broke off (${error.name}). Nothing was sent.`;
    throw new ServiceUnavailable(cut, { cause: error });
  });
  if (hash.digest('hex') === sha256) return;
  await markChanged(orderRef, round, fileId, versionId);
  throw new DocumentChanged(
    `Order ${orderRef}: document number ${position + 1} has changed at the order service since it was staged to be signed. ` +
      'Its signature was not sent. Ask the service why; a retry stages the document anew and waits for a signature of it.',
  );
}
