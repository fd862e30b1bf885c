import { openObject } from '../../core/aws/storage.ts';
import { orderStep } from '../../core/driving/order-step.ts';
import { InvalidPackage } from '../../core/errors.ts';
import { uploadDocumentName, uploadDocumentPrefix } from '../../core/order/operation-names.ts';
import { isAnyDone, perform } from '../../core/order/order-ledger.ts';
import { loadCreatedOrder } from '../../core/order/order-record.ts';
import { orderService } from '../../core/order-service/order-service.ts';
import type { FileInput, FileOutcome } from '../../core/reading/cursor.ts';
import { stackSettings } from '../../core/settings.ts';

/** Streams one document of the package to the service, in the version that intake checked (specification, endpoint 3). */
async function uploadDocument(input: FileInput): Promise<FileOutcome> {
  const { orderRef, generation, position } = input;
  const order = await loadCreatedOrder(orderRef, generation);
  const document = order.documents[position];
  if (!document)
    throw new InvalidPackage(`Order ${orderRef} has no document number ${position + 1}. Nothing was sent.`);
  const round = order.rounds?.documents?.number ?? 1;
  // Another version was already sent in this round. The new version is sent if the service asks for documents again.
  if (order.documentsReplaced && (await isAnyDone(orderRef, uploadDocumentPrefix(round, position))))
    return { position, postponed: false };
  const { entityId, sourceEntityId, docType, versionId, size, contentType, file } = document;
  const object = { bucket: stackSettings.intakeBucket, key: `orders/${orderRef}/${file}`, versionId };
  const source = { name: file.slice(file.lastIndexOf('/') + 1), contentType, size, open: () => openObject(object) };
  await perform({
    order,
    name: uploadDocumentName(round, position, document),
    unknown: 'again',
    call: async (context) => {
      await orderService(context).uploadDocument(order.orderId, { entityId, sourceEntityId, docType }, source);
      return { bytes: size };
    },
  });
  return { position, postponed: false };
}

export const handler = orderStep(uploadDocument, ({ position }) => ({ position, postponed: true }));
