import { type ItemKey, orderTable } from '../aws/order-table.ts';
import { BY_UNSENT, CUT, ORDERLESS_OUTBOX, type Outbox, UNSENT } from '../events/outbox.ts';
import { count } from '../metrics.ts';
import type { OrderItem } from '../order/order-item.ts';
import { type Sending, sendOutbox, sendSingle } from '../staging/send-outbox.ts';

/** Milliseconds. The events of a younger change may still be sent by the function that made it. */
const GRACE = 60_000;
const AT_ONCE = 10;
/** The most outboxes that a sweep reads. The next sweep continues. */
const MOST_READ = 10_000;
/** After this many consecutive groups without an accepted event, the bus counts as down. */
const MOST_REFUSED = 3;

type Unsent = ItemKey & Required<Pick<Outbox, 'unsentSince'>>;

export interface LeftEvents {
  sent: number;
  /** When the oldest unsent one was added; undefined if all were sent. */
  oldest: string | undefined;
}

/**
 * Sends the events and publishes the pages that the function which made the change left, oldest first. If EventBridge refuses the oldest
 * ones, continues at a random place, because it may refuse them forever. Ends when EventBridge accepts nothing, or there is no time.
 */
export async function sendLeftEvents(isTimeLeft: () => boolean): Promise<LeftEvents> {
  const waiting = await findWaiting();
  const sent = new Set<Unsent>();
  let next = waiting;
  let refused = 0;
  while (next.length > 0 && refused < MOST_REFUSED && isTimeLeft()) {
    const some = next.slice(0, AT_ONCE);
    const found = await Promise.all(some.map(sendOne));
    for (const [position, one] of some.entries()) if (found[position] === 'sent') sent.add(one);
    refused = found.every((one) => one === 'refused') ? refused + 1 : 0;
    next = next.slice(AT_ONCE);
    if (refused > 0) next = fromAnywhere(next);
  }
  return { sent: sent.size, oldest: waiting.find((one) => !sent.has(one))?.unsentSince };
}

/** The outboxes that are old enough, oldest first. */
async function findWaiting(): Promise<Unsent[]> {
  const upTo = { key: 'unsentSince', value: new Date(Date.now() - GRACE).toISOString(), is: 'at most' } as const;
  const waiting: Unsent[] = [];
  for await (const one of orderTable.queryIndex<Unsent>(BY_UNSENT, 'unsent', UNSENT, upTo)) {
    waiting.push(one);
    if (waiting.length === MOST_READ) break;
  }
  return waiting;
}

/** The same ones, rotated to a random start, so each is tried in some sweep. */
function fromAnywhere(some: Unsent[]): Unsent[] {
  const start = Math.floor(Math.random() * some.length);
  return [...some.slice(start), ...some.slice(0, start)];
}

async function sendOne({ orderRef, item }: Unsent): Promise<Sending> {
  // The index may be some seconds old.
  const outbox = await orderTable.getItem<OrderItem>({ orderRef, item });
  if (!outbox?.unsent) return 'sent';
  if (item.startsWith(CUT)) count('UploadsRejected', { upload: 'package' });
  return orderRef === ORDERLESS_OUTBOX ? sendSingle({ orderRef, item }, outbox) : sendOutbox(outbox);
}
