import middy from '@middy/core';
import { environment } from '../shared/environment.ts';
import { InvalidPackage } from '../shared/errors.ts';
import { signatureKey } from '../shared/intake-key.ts';
import { perform } from '../shared/ledger.ts';
import { uploadSignatureName } from '../shared/operations.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { loadCreatedOrder } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import { headObject, openObject } from '../shared/storage.ts';
import type { FileInput } from '../upload-document/handler.ts';

/** Streams one detached signature from intake to the service (specification, endpoint 6). */
async function uploadSignature({ orderRef, generation, position }: FileInput): Promise<{ position: number }> {
  const order = await loadCreatedOrder(orderRef, generation);
  const { number: round, fileIds } = order.signaturesRound ?? { number: 0, fileIds: [] };
  const fileId = fileIds[position];
  const object = { bucket: environment('INTAKE_BUCKET'), key: signatureKey(orderRef, fileId ?? '') };
  const facts = fileId === undefined ? undefined : await headObject(object);
  if (fileId === undefined || !facts) {
    throw new InvalidPackage(
      `Order ${orderRef}: the signature of document number ${position + 1} is not in intake. Nothing was sent; a retry waits for it again.`,
    );
  }
  const { versionId, size } = facts;
  const open = () => openObject({ ...object, versionId });
  await perform({
    orderRef,
    name: uploadSignatureName(round, fileId, versionId),
    unknown: 'again',
    call: () =>
      orderService().uploadSignature(order.orderId, fileId, {
        name: `signature-${position + 1}.sig`,
        contentType: 'application/octet-stream',
        size,
        open,
      }),
  });
  return { position };
}

export const handler = middy(uploadSignature).use(operatorLog());
