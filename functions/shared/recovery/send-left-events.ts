import { BY_UNSENT, OUTBOX, type Outbox, UNSENT } from '../events/outbox.ts';
import { getItem, type ItemKey, orderTable } from '../order/order-table.ts';
import { removeOutbox, sendOutbox } from '../order/send-outbox.ts';

/** Milliseconds. The function that has made a younger change may be about to send its events. */
const GRACE = 60_000;
/** How many outboxes one sweep sends at most, and at the same time. The next sweep goes on. */
const MOST = 1_000;
const AT_ONCE = 10;

type Unsent = ItemKey & Required<Pick<Outbox, 'unsentSince'>>;

/** What one sweep did with events that had not been sent. */
export interface LeftEvents {
  /** Outboxes that were sent. */
  sent: number;
  /** Since when the oldest event that is left has waited; undefined if none is left. */
  oldest: string | undefined;
}

/** Sends the events that the function which made the change did not send, oldest first. Ends when EventBridge takes nothing. */
export async function sendLeftEvents(): Promise<LeftEvents> {
  const upTo = { key: 'unsentSince', value: new Date(Date.now() - GRACE).toISOString() };
  const left: Unsent[] = [];
  let some: Unsent[] = [];
  let sent = 0;
  const sendSome = async () => {
    const still = await sendAll(some);
    const isRefused = some.length > 0 && still.length === some.length;
    sent += some.length - still.length;
    left.push(...still);
    some = [];
    return isRefused;
  };
  for await (const one of orderTable.queryIndex<Unsent>(BY_UNSENT, 'unsent', UNSENT, upTo)) {
    some.push(one);
    if (some.length < AT_ONCE) continue;
    if ((await sendSome()) || sent + left.length >= MOST) return { sent, oldest: (left[0] ?? one).unsentSince };
  }
  await sendSome();
  return { sent, oldest: left[0]?.unsentSince };
}

/** @returns those that were not sent. */
async function sendAll(some: Unsent[]): Promise<Unsent[]> {
  const left = await Promise.all(some.map(sendOne));
  return some.filter((_, position) => left[position] !== 0);
}

/** @returns how many of its events are left. */
async function sendOne({ orderRef, item }: Unsent): Promise<number> {
  // The index may be some seconds old.
  const outbox = await getItem<Outbox>({ orderRef, item });
  if (!outbox?.unsentEvents) return 0;
  return sendOutbox({ orderRef, item }, outbox, orderRef === OUTBOX ? removeOutbox : undefined);
}
