import { readObject, writeObjectIf } from '../aws/storage.ts';
import { decisionView, findDecision, NO_DECISION } from '../order/decision-states.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder } from '../order/order-record.ts';
import { listToSign, type StagedDocument } from '../order/to-sign.ts';
import { signatureKey } from '../package/intake-key.ts';
import { stackSettings } from '../settings.ts';
import { stagingKey } from './staging.ts';

/**
 * The pages in staging that are derived from an order's record. A page that is part of the outbox is also named in `PageName`, and
 * `PAGE_FACTS` lists what changes it; it is published when the outbox is sent after the change. `to-sign.json` is published by the step
 * that asks for signatures, before the record says so. Other files are not derived from the record.
 */
const CONTENTS = {
  'status.json': statusPage,
  'choices.json': choicesPage,
  'to-sign.json': toSignPage,
};

export type StatusPage = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'orderId' | 'failure'>;

function statusPage({ orderRef, orderId, status, waitingFor, failure }: OrderItem): StatusPage {
  return { orderRef, ...(orderId && { orderId }), status, waitingFor, ...(failure && { failure }) };
}

/** The decision, the state of each choice, and why a human must choose although there is a rule. */
async function choicesPage(order: OrderItem) {
  const { orderRef, decisionReason: reason, status } = order;
  return { orderRef, reason, ...decisionView((await findDecision(order)) ?? NO_DECISION, status) };
}

/** What to sign, who signs, each document's SHA-256 and where its signature goes. */
async function toSignPage({ orderRef, rounds, signing, staged }: OrderItem & { staged?: StagedDocument[] }) {
  const round = rounds?.signatures?.number ?? 0;
  const ofRound = (staged ?? (await listToSign(orderRef))).filter((document) => document.round === round);
  const documents = ofRound.map((document) => {
    const { fileId, name, key, versionId, contentType, size, sha256 } = document;
    const signature = `s3://${stackSettings.intakeBucket}/${signatureKey(orderRef, fileId)}`;
    return { fileId, name, key, versionId, contentType, size, sha256, signature };
  });
  return { orderRef, round, signing, documents };
}

/**
 * Writes a page. If somebody else has written it since its ETag was read, reads the record again and writes what that says.
 * @param order as last written or read.
 * @returns the ETag of the page; undefined if there is none.
 */
export async function publishPage(order: OrderItem, name: keyof typeof CONTENTS): Promise<string | undefined> {
  const page = { bucket: stackSettings.stagingBucket, key: stagingKey(order.orderRef, name) };
  let etag = name === 'to-sign.json' ? undefined : order.published?.[name];
  // No page is written for an order whose files were removed.
  for (let now: OrderItem | undefined = order; now && !now.removal; now = await findOrder(order.orderRef)) {
    // The time makes each version of a page unique, so no ETag occurs twice.
    const content = { ...(await CONTENTS[name](now)), changedAt: new Date().toISOString() };
    const text = `${JSON.stringify(content, undefined, 2)}\n`;
    const written = await writeObjectIf(page, text, etag);
    if (written !== undefined) return written;
    etag = (await readObject(page))?.etag;
  }
  return etag;
}
