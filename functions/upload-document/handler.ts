import { openObject } from '../shared/aws/storage.ts';
import { environment } from '../shared/environment.ts';
import { InvalidPackage } from '../shared/errors.ts';
import { lambdaHandler } from '../shared/lambda-handler.ts';
import type { FileInput, FileOutcome } from '../shared/order/cursor.ts';
import { uploadDocumentName, uploadDocumentPrefix } from '../shared/order/operation-names.ts';
import { operatorLog } from '../shared/order/operator-log.ts';
import { isAnyDone, perform } from '../shared/order/order-ledger.ts';
import { loadCreatedOrder } from '../shared/order/order-record.ts';
import { orderService } from '../shared/order/order-service.ts';
import { postponable } from '../shared/order/postponable.ts';

/** Streams one document of the package to the service, in the version that intake checked (specification, endpoint 3). */
async function uploadDocument(input: FileInput): Promise<FileOutcome> {
  const { orderRef, generation, position } = input;
  const order = await loadCreatedOrder(orderRef, generation);
  const document = order.documents[position];
  if (!document)
    throw new InvalidPackage(`Order ${orderRef} has no document number ${position + 1}. Nothing was sent.`);
  const round = order.documentsRound ?? 1;
  // In this round another version was sent already. The new version is sent if the service asks for documents again.
  if (order.documentsReplaced && (await isAnyDone(orderRef, uploadDocumentPrefix(round, position))))
    return { position, postponed: false };
  const { entityId, sourceEntityId, docType, versionId, size, contentType, file } = document;
  const object = { bucket: environment('INTAKE_BUCKET'), key: `orders/${orderRef}/${file}`, versionId };
  const source = { name: file.slice(file.lastIndexOf('/') + 1), contentType, size, open: () => openObject(object) };
  await perform({
    order,
    name: uploadDocumentName(round, position, document),
    unknown: 'again',
    call: async () => {
      await orderService().uploadDocument(order.orderId, { entityId, sourceEntityId, docType }, source);
      return { bytes: size };
    },
  });
  return { position, postponed: false };
}

export const handler = lambdaHandler(
  postponable(uploadDocument, ({ position }) => ({ position, postponed: true })),
).use(operatorLog());
