import middy from '@middy/core';
import { environment } from '../shared/environment.ts';
import { InvalidPackage, Rejected } from '../shared/errors.ts';
import { perform } from '../shared/ledger.ts';
import { uploadSignatureName } from '../shared/operations.ts';
import { operatorLog } from '../shared/operator-log.ts';
import { loadCreatedOrder } from '../shared/order-record.ts';
import { orderService } from '../shared/order-service.ts';
import { arrivedSignatures } from '../shared/signatures.ts';
import { stageJson } from '../shared/staging.ts';
import { headObject, openObject } from '../shared/storage.ts';
import type { FileInput } from '../upload-document/handler.ts';

/** Streams one detached signature from intake to the service (specification, endpoint 6). */
async function uploadSignature({ orderRef, generation, position }: FileInput): Promise<{ position: number }> {
  const order = await loadCreatedOrder(orderRef, generation);
  const { number: round, fileIds } = order.signaturesRound ?? { number: 0, fileIds: [] };
  const fileId = fileIds[position];
  const key = fileId === undefined ? undefined : (await arrivedSignatures(orderRef)).get(fileId);
  const object = { bucket: environment('INTAKE_BUCKET'), key: key ?? '' };
  const facts = key === undefined ? undefined : await headObject(object);
  if (fileId === undefined || !facts) {
    throw new InvalidPackage(
      `Order ${orderRef}: the signature of document number ${position + 1} is not in intake. Nothing was sent; a retry waits for it again.`,
    );
  }
  const { versionId, size } = facts;
  const open = () => openObject({ ...object, versionId });
  await perform({
    order,
    name: uploadSignatureName(round, fileId, versionId),
    unknown: 'again',
    call: () =>
      orderService().uploadSignature(order.orderId, fileId, {
        name: `signature-${position + 1}.sig`,
        contentType: 'application/octet-stream',
        size,
        open,
      }),
  }).catch(async (error: unknown) => {
    if (error instanceof Rejected) await tellSigner(orderRef, fileId, error);
    throw error;
  });
  return { position };
}

/** The signer looks here, not into the execution: what the service refused, and what to do. */
async function tellSigner(orderRef: string, fileId: string, { httpStatus, excerpt }: Rejected): Promise<void> {
  const problem = `The order service refused this signature (${httpStatus}). Upload a good one under the same name; an operator then retries the order.`;
  await stageJson(orderRef, `signatures-rejected/${encodeURIComponent(fileId)}.json`, {
    orderRef,
    fileId,
    problem,
    service: excerpt,
  });
}

export const handler = middy(uploadSignature).use(operatorLog());
