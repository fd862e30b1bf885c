import { deleteItem, type ItemKey, updateItem } from '../aws/order-table.ts';
import { type Outbox, withLeft } from '../events/outbox.ts';
import { sendEvents } from '../events/send-events.ts';
import { logger } from '../log.ts';

/** Takes events off an outbox that were sent. Takes nothing off if others have added events since: they send all of them. */
export type TakeOff = (key: ItemKey, eventCount: number | undefined, left: Outbox['unsentEvents']) => Promise<unknown>;

const IS_NEWEST = 'eventCount = :count';

/** What is left must not come back after another sender has emptied the outbox, or after the record was reduced. */
const changeOutbox: TakeOff = (key, eventCount, left = []) =>
  updateItem(key, { ...withLeft(left) }, `${IS_NEWEST} AND attribute_exists(unsentEvents)`, { ':count': eventCount });

/** For an item that is nothing but an outbox. It has one event. */
export const removeOutbox: TakeOff = (key, eventCount) => deleteItem(key, IS_NEWEST, { ':count': eventCount });

/**
 * Sends the events in the outbox of an item, and takes those off that EventBridge took. Never fails, because the change has been
 * made: the sweep sends what is left. An event may be sent twice, if another function sends it at the same time, or if this one
 * ends before it takes the event off. A consumer knows the second one by its id.
 * @param outbox as it was written last.
 * @returns how many events EventBridge did not take.
 */
export async function sendOutbox(
  key: ItemKey,
  { eventCount, unsentEvents = [] }: Outbox,
  takeOff: TakeOff = changeOutbox,
): Promise<number> {
  const { left, error } = await sendEvents(unsentEvents);
  const of = unsentEvents.map(({ detail }) => detail.id);
  if (error !== undefined)
    logger.warn('Events were not sent. The sweep sends them', { events: left.length, of, error });
  if (left.length === unsentEvents.length) return left.length;
  try {
    await takeOff(key, eventCount, left);
  } catch (failure) {
    const { name } = failure as Error;
    logger.warn('Events were sent, but are still in the outbox. The sweep sends them again', { of, error: name });
  }
  return left.length;
}
