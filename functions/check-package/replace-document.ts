import { findReadable, type ObjectVersion } from '../../core/aws/storage.ts';
import { logger } from '../../core/log.ts';
import { isFinal, type OrderItem } from '../../core/order/order-item.ts';
import { findOrder, replaceDocuments } from '../../core/order/order-record.ts';
import { addToTimeline } from '../../core/order/timeline.ts';
import { checkFiles } from '../../core/package/whole-package.ts';
import { limitSettings, stackSettings } from '../../core/settings.ts';
import { answerUnknown } from '../../core/staging/answer-rejected.ts';

export function packageFile(folder: string, file: string): ObjectVersion {
  return { bucket: stackSettings.intakeBucket, key: `orders/${folder}/${file}` };
}

/**
 * Replaces a document of the order by its newest version in intake. Later uploads send that version. A document that was
 * sent already is not sent again unless the service asks for documents again. A file that is empty, deleted, too large or unreadable changes nothing.
 * @param versionId the version of the event. The event may be late, so the file's current version is used.
 */
export async function replaceDocument(order: OrderItem, file: string, versionId: string | undefined): Promise<void> {
  const current = order.documents.find((document) => document.file === file);
  const isEnded = order.removal !== undefined || isFinal(order.status);
  if (!current || current.versionId === versionId || isEnded) return;
  const document = order.documents.indexOf(current) + 1;
  const find = (path: string) => findReadable(packageFile(order.orderRef, path));
  const check = { folder: order.orderRef, find, documentBytes: limitSettings.documentBytes };
  const { facts, problems } = await checkFiles(check, [{ position: 0, file }]);
  const found = facts.get(0);
  if (!found) {
    const what = 'Document not replaced: its newest version is empty, deleted, too large or unreadable';
    logger.warn(what, { document });
    await addToTimeline(order.orderRef, what, { document });
    const unreadable = problems.find(({ code }) => code === 'unreadable');
    const object = { key: packageFile(order.orderRef, file).key, 'version-id': versionId ?? '' };
    if (unreadable) await answerUnknown(object, unreadable, { afterStart: true });
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
