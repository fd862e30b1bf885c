import { readObject, writeObjectIf } from '../aws/storage.ts';
import type { PageName } from '../events/outbox.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import { stackSettings } from '../settings.ts';
import { stagingKey } from './staging.ts';

/**
 * The pages in staging that follow from the item `order` of an order's record. All others are written by whoever gets what they show:
 * - answers of the service: `snapshot.json`, `offers.json`, `issues.json`, `errors/`, documents to sign;
 * - answers to uploads of people: `decision-rejected.json`, `signatures-rejected/`, `signatures-unchecked/`, `rejected/`;
 * - what follows from other items of the record, too: `choices.json` (the ledger), `to-sign.json` (the staged documents), `erased.json`.
 */
const CONTENTS: Record<PageName, (order: OrderItem) => object> = {
  'status.json': statusPage,
};

/** The status of the order, and whom it waits for. */
export type StatusPage = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'failure'>;

function statusPage({ orderRef, orderId, status, waitingFor, failure }: OrderItem): StatusPage {
  return { orderRef, ...(orderId && { orderId }), status, waitingFor, ...(failure && { failure }) };
}

/**
 * Writes the pages that may not show the order's last change.
 * @param order as it was written or read last. A page is written only if it still is as the record says: otherwise somebody else has
 * published it, and the newest record says what it should show.
 * @returns the order whose pages are published now.
 */
export async function publishPages(order: OrderItem): Promise<OrderItem> {
  let now = order;
  for (const name of PAGES) now = await publish(now, name);
  return now;
}

const PAGES = Object.keys(CONTENTS) as PageName[];

async function publish(order: OrderItem, name: PageName): Promise<OrderItem> {
  const page = { bucket: stackSettings.stagingBucket, key: stagingKey(order.orderRef, name) };
  for (let now = order; ; ) {
    // Nothing comes back into the folder of an order whose files were removed.
    if (now.removal || !now.unpublished?.includes(name)) return now;
    // The time makes each version of a page another one, so that no ETag comes again.
    const content = { ...CONTENTS[name](now), changedAt: new Date().toISOString() };
    const etag = await writeObjectIf(page, `${JSON.stringify(content, undefined, 2)}\n`, now.published?.[name]);
    if (etag !== undefined) return { ...now, published: { ...now.published, [name]: etag } };
    const found = await readObject(page);
    const read = await findOrder(now.orderRef);
    if (!read) return now;
    now = { ...read, published: { ...read.published, [name]: found?.etag } };
  }
}
