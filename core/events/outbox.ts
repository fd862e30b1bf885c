import type { OrderChange, StoredEvent } from './order-event.ts';
import { VERSION } from './order-event.ts';

/** Name of the table's sparse index of items with events that were not sent yet, oldest first. */
export const BY_UNSENT = 'byUnsent';
/** The only value of the index's partition key. */
export const UNSENT = 'events';

/** The record of events that belong to no order. No order has this name. An item leaves it as soon as its events were sent. */
export const OUTBOX = '#outbox';

/**
 * The outbox of an item. Whatever writes a change into the item adds its events in the same write, so that no change is without its
 * events, and no event without its change.
 */
export interface Outbox {
  /** How many events the item has had. A write that adds events is refused if others were added since the item was read. */
  eventCount?: number;
  /** The events that may not have been sent, oldest first. */
  unsentEvents?: StoredEvent[] | undefined;
  /** The keys of the index `byUnsent`. Absent if there are none. */
  unsent?: typeof UNSENT | undefined;
  unsentSince?: string | undefined;
}

/**
 * The most events that wait in one outbox, some 400 bytes each. DynamoDB takes 400 KB for an item, and an order must go on even if
 * its service changes its mind for weeks in which the bus takes nothing. The oldest events give way: `sequence` shows the gap.
 */
export const MOST_UNSENT = 300;

/** What the outbox needs to know of an order. */
export type Sender = Outbox & { orderRef: string; orderId?: string | undefined };

/** The attributes that add events of these changes to the outbox of an order. */
export function withEvents(
  order: Sender,
  changes: readonly OrderChange[],
): Required<Pick<Outbox, 'eventCount'>> & Outbox {
  const { orderRef, orderId, eventCount = 0, unsentEvents = [], unsentSince } = order;
  const at = new Date().toISOString();
  const events = changes.map(({ type, ...facts }, position): StoredEvent => {
    const sequence = eventCount + position + 1;
    const named = { version: VERSION, id: `${orderRef}/${sequence}`, at, orderRef, sequence };
    return { type, detail: { ...named, ...(orderId && { orderId }), ...facts } };
  });
  return {
    eventCount: eventCount + events.length,
    unsentEvents: [...unsentEvents, ...events].slice(-MOST_UNSENT),
    unsent: UNSENT,
    unsentSince: unsentSince ?? at,
  };
}

/** The attributes after these events were left: all others were sent. */
export function withLeft(left: StoredEvent[]): Outbox {
  if (left.length > 0) return { unsentEvents: left };
  return { unsentEvents: undefined, unsent: undefined, unsentSince: undefined };
}
