import { createHash } from 'node:crypto';
import { putItem } from '../aws/order-table.ts';
import { type StoredEvent, VERSION } from '../events/order-event.ts';
import { OUTBOX, type Outbox, UNSENT } from '../events/outbox.ts';
import { removeOutbox, sendOutbox } from '../order/send-outbox.ts';
import { isOrderRef } from '../package/intake-key.ts';
import type { RejectedLine } from './rejected-line.ts';

/**
 * Tells others that an upload was rejected. The event has an item of its own, because the line of the upload may be removed before
 * it is sent, and there may be no room for one. It is written before the line: if this function ends in between, the upload's event
 * comes again, and so does this one, with the same id. The key may be a person's name, so the id is a digest of it.
 */
export async function tellRejected({
  kind,
  key,
  versionId,
}: Pick<RejectedLine, 'kind' | 'key' | 'versionId'>): Promise<void> {
  const digest = createHash('sha256').update(`${key}@${versionId}`).digest('hex').slice(0, 32);
  const at = new Date().toISOString();
  const [, folder] = /^orders\/([^/]+)\//.exec(key) ?? [];
  const named = folder !== undefined && isOrderRef(folder) ? { orderRef: folder } : {};
  const detail = { version: VERSION, id: `#rejected/${digest}`, at, kind, ...named, versionId };
  const unsentEvents: StoredEvent[] = [{ type: 'Upload Rejected', detail }];
  const outbox: Outbox = { eventCount: 1, unsentEvents, unsent: UNSENT, unsentSince: at };
  const place = { orderRef: OUTBOX, item: `rejected#${digest}` };
  await putItem({ ...place, ...outbox });
  await sendOutbox(place, outbox, removeOutbox);
}
