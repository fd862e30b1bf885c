import { logger } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { findOrder, replaceDocuments } from '../shared/order/order-record.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { checkFiles } from '../shared/package/package-files.ts';

/**
 * A newer version of a document takes the place of the one that the order has, for whatever is sent from now on: a document that has
 * not been sent yet, or all of them when the service asks for them again. What was sent stays sent. A file that can't be used changes
 * nothing.
 * @param versionId the version that an event is about, which may be late: the current one counts.
 */
export async function replaceDocument(order: OrderItem, file: string, versionId: string | undefined): Promise<void> {
  const known = order.documents.find((document) => document.file === file);
  if (!known || known.versionId === versionId || order.waitingFor === 'nobody') return;
  const document = order.documents.indexOf(known) + 1;
  const { facts } = await checkFiles(order.orderRef, [{ position: 0, file }]);
  const found = facts.get(0);
  if (!found) {
    logger.warn('A newer version of a document can not be used: the one before counts', { document });
    await addEvent(order.orderRef, 'A newer version of a document is empty or gone, the one before counts', {
      document,
    });
    return;
  }
  if (found.versionId === known.versionId) return;
  const documents = order.documents.map((one) => (one.file === file ? { ...one, ...found } : one));
  if (await replaceDocuments(order, documents)) {
    await addEvent(order.orderRef, 'Document replaced', { document });
    return;
  }
  // Another document was replaced at the same moment, as when a whole folder is uploaded again.
  const now = await findOrder(order.orderRef);
  if (now) await replaceDocument(now, file, versionId);
}
