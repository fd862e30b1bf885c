import { headObject, type ObjectVersion } from '../../core/aws/storage.ts';
import { logger } from '../../core/log.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import { findOrder, replaceDocuments } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { checkFiles } from '../../core/package/whole-package.ts';
import { limitSettings, stackSettings } from '../../core/settings.ts';

export function packageFile(folder: string, file: string): ObjectVersion {
  return { bucket: stackSettings.intakeBucket, key: `orders/${folder}/${file}` };
}

/**
 * Replaces a document of the order by its newest version in intake. Later uploads send that version. A document that was
 * sent already is not sent again unless the service asks for documents again. A file that is empty, deleted or too large changes nothing.
 * @param versionId the version of the event. The event may be late, so the file's current version is used.
 */
export async function replaceDocument(order: OrderItem, file: string, versionId: string | undefined): Promise<void> {
  const current = order.documents.find((document) => document.file === file);
  const isEnded = order.removal !== undefined || isFinal(order.status);
  if (!current || current.versionId === versionId || isEnded) return;
  const document = order.documents.indexOf(current) + 1;
  const find = (path: string) => headObject(packageFile(order.orderRef, path));
  const check = { folder: order.orderRef, find, documentBytes: limitSettings.documentBytes };
  const { facts } = await checkFiles(check, [{ position: 0, file }]);
  const found = facts.get(0);
  if (!found) {
    logger.warn('The newest version of a document is empty, deleted or too large; the order keeps the version before', {
      document,
    });
    await addToTimeline(order.orderRef, 'Document not replaced: its newest version is empty, deleted or too large', {
      document,
    });
    return;
  }
  if (found.versionId === current.versionId) return;
  const documents = order.documents.map((one) => (one.file === file ? { ...one, ...found } : one));
  if (await replaceDocuments(order, documents)) {
    await addToTimeline(order.orderRef, 'Document replaced', { document });
    return;
  }
  // Another document was replaced at the same time, for instance because a whole folder was uploaded again.
  const now = await findOrder(order.orderRef);
  if (now) await replaceDocument(now, file, versionId);
}
