import { type ItemKey, orderTable } from '../aws/order-table.ts';
import { type Outbox, type PageName, withLeft } from '../events/outbox.ts';
import { sendEvents } from '../events/send-events.ts';
import { logger } from '../log.ts';
import { sameOutbox } from '../order/change-order.ts';
import type { OrderItem } from '../order/order-item.ts';
import { publishPage } from './pages.ts';

export type Sending = 'sent' | 'partly' | 'refused';

/**
 * Publishes the pages of an order that may be out of date, sends its events, and removes from its outbox what was done. Never fails,
 * because the change has been made: the next change or the sweep does the rest. An event may be sent twice, if another function sends it at
 * the same time, or if this one ends before it removes the event. Consumers recognize the repeat by its id.
 * @param order as last written or read.
 */
export async function sendOutbox(order: OrderItem): Promise<Sending> {
  if (order.unsent === undefined) return 'sent';
  const { unsentEvents = [], unpublished = [] } = order;
  const published = await publish(order, unpublished);
  const left = {
    unsentEvents: await send(unsentEvents),
    unpublished: unpublished.filter((name) => !(name in published)),
  };
  const size = left.unsentEvents.length + left.unpublished.length;
  if (size > 0 && size === unsentEvents.length + unpublished.length) return 'refused';
  await takeOff(order, { ...withLeft(left), published: { ...order.published, ...published } });
  return size === 0 ? 'sent' : 'partly';
}

/** Sends the outbox of an order that was changed, and returns the order. */
export async function outboxSent<Changed extends OrderItem | undefined>(changed: Changed): Promise<Changed> {
  if (changed) await sendOutbox(changed);
  return changed;
}

/** The ETags of the pages that could be published. */
async function publish(order: OrderItem, names: readonly PageName[]): Promise<NonNullable<Outbox['published']>> {
  const published: Outbox['published'] = {};
  for (const name of names) {
    try {
      published[name] = await publishPage(order, name);
    } catch (failure) {
      logger.warn('A page was not published. The sweep publishes it', { page: name, error: (failure as Error).name });
    }
  }
  return published;
}

/** Sends the event of an item that is only an outbox, and removes the item. Never fails: see {@link sendOutbox}. */
export async function sendSingle(key: ItemKey, { unsentEvents = [] }: Outbox): Promise<Sending> {
  if ((await send(unsentEvents)).length > 0) return 'refused';
  await quietly(unsentEvents, () => orderTable.deleteItem(key));
  return 'sent';
}

async function send(events: NonNullable<Outbox['unsentEvents']>): Promise<typeof events> {
  const { left, error } = await sendEvents(events);
  if (error !== undefined)
    logger.warn('Events were not sent. The sweep sends them', { events: left.length, of: ids(events), error });
  return left;
}

/** Removes nothing if the order has changed since: the writer of that change sends everything. The record may also have been reduced. */
async function takeOff(order: OrderItem, changes: Outbox): Promise<void> {
  const { orderRef, item, unsentEvents = [] } = order;
  const isNewest = sameOutbox(order, changes);
  const condition = `${isNewest.condition} AND attribute_exists(${'unsent' in changes ? '#' : ''}unsent)`;
  await quietly(unsentEvents, () =>
    orderTable.updateItem({ orderRef, item }, { ...changes }, condition, isNewest.values),
  );
}

async function quietly(events: NonNullable<Outbox['unsentEvents']>, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (failure) {
    const { name } = failure as Error;
    logger.warn('The outbox was sent, but not emptied. The sweep sends it again', { of: ids(events), error: name });
  }
}

const ids = (events: NonNullable<Outbox['unsentEvents']>) => events.map(({ detail }) => detail.id);
