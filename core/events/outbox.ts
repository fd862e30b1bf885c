import type { OrderChange, StoredEvent } from './order-event.ts';
import { VERSION } from './order-event.ts';

/** Name of the table's sparse index of items with events or pages that were not sent yet, oldest first. */
export const BY_UNSENT = 'byUnsent';
/** The only value of the index's partition key. */
export const UNSENT = 'events';

/** The record of events that belong to no order. No order has this name. An item is deleted as soon as its events were sent. */
export const ORDERLESS_OUTBOX = '#outbox';
/** What the names of items begin with whose event waits for the sweep, because it may become untrue within seconds. */
export const CUT = 'cut#';

/** A page in staging that is derived from an order's record, and published as an entry of its outbox. */
export type PageName = 'status.json' | 'choices.json';

/** The outbox of an item. A change and its events and pages are written to the item in one write, so neither exists without the other. */
export interface Outbox {
  /** How often something was added. A write fails if someone else has added something since the item was read. */
  outboxCount?: number;
  /** How many events the item has had. */
  eventCount?: number;
  /** The events that may not have been sent, oldest first. */
  unsentEvents?: StoredEvent[] | undefined;
  /** The pages in staging that may not show the last change. */
  unpublished?: PageName[] | undefined;
  /** The ETags of the pages after their last write. */
  published?: { [Name in PageName]?: string | undefined };
  /** The keys of the index `byUnsent`. Absent if there is nothing to send or to publish. */
  unsent?: typeof UNSENT | undefined;
  unsentSince?: string | undefined;
}

/**
 * The most events that wait in one outbox, some 400 bytes each. DynamoDB takes 400 KB for an item, and an order must go on even if its
 * service changes its status for weeks while the bus accepts nothing. The oldest events are dropped: `sequence` shows the gap.
 */
export const MOST_UNSENT = 300;

/** The fields of an order that the outbox needs. */
export type OutboxOwner = Outbox & { orderRef: string; orderId?: string | undefined };

/** The attributes that add events of these changes, and pages that show them, to an order's outbox. Empty if there is nothing to add. */
export function withOutbox(order: OutboxOwner, changes: readonly OrderChange[], pages: readonly PageName[]): Outbox {
  if (changes.length === 0 && pages.length === 0) return {};
  const { outboxCount = 0, unpublished = [], unsentSince } = order;
  return {
    outboxCount: outboxCount + 1,
    ...(changes.length > 0 && withEvents(order, changes)),
    ...(pages.length > 0 && { unpublished: [...new Set([...unpublished, ...pages])] }),
    unsent: UNSENT,
    unsentSince: unsentSince ?? new Date().toISOString(),
  };
}

function withEvents(order: OutboxOwner, changes: readonly OrderChange[]): Outbox {
  const { orderRef, orderId, eventCount = 0, unsentEvents = [] } = order;
  const at = new Date().toISOString();
  const events = changes.map(({ type, ...facts }, position): StoredEvent => {
    const sequence = eventCount + position + 1;
    const named = { version: VERSION, id: `${orderRef}/${sequence}`, at, orderRef, sequence };
    return { type, detail: { ...named, ...(orderId && { orderId }), ...facts } };
  });
  return {
    eventCount: eventCount + events.length,
    unsentEvents: [...unsentEvents, ...events].slice(-MOST_UNSENT),
  };
}

export type Left = Required<Pick<Outbox, 'unsentEvents' | 'unpublished'>>;

/** The attributes after sending: only `left` remains to be sent and published. */
export function withLeft({ unsentEvents = [], unpublished = [] }: Left): Outbox {
  const isEmpty = unsentEvents.length === 0 && unpublished.length === 0;
  return {
    unsentEvents: unsentEvents.length === 0 ? undefined : unsentEvents,
    unpublished: unpublished.length === 0 ? undefined : unpublished,
    ...(isEmpty && { unsent: undefined, unsentSince: undefined }),
  };
}
