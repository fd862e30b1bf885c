import { createHash } from 'node:crypto';
import { deleteItem, putItem, queryItems } from './order-table.ts';

/**
 * A waiting execution: `callback#<what>#<digest of its token>` in the order's record, fenced by its execution and round. Each token has
 * an item of its own: a step that is repeated gets a new one, and its first run may be late.
 */
export interface Callback {
  orderRef: string;
  generation: number;
  what: 'signatures' | 'decision';
  round: number;
  taskToken: string;
}

const keyOf = ({ orderRef, what, taskToken }: Callback) => {
  const digest = createHash('sha256').update(taskToken).digest('hex').slice(0, 16);
  return { orderRef, item: `callback#${what}#${digest}` };
};

/**
 * Records where the execution waits. The caller looks for what it waits for after this, and whoever brings it looks for
 * the callback after storing it: whichever comes second sees the other, so no wake-up is lost.
 */
export async function saveCallback(callback: Callback): Promise<void> {
  await putItem({ ...callback, ...keyOf(callback), since: new Date().toISOString() });
}

export async function findCallbacks(orderRef: string, what: Callback['what']): Promise<Callback[]> {
  return queryItems<Callback>(orderRef, `callback#${what}`);
}

/** Once the order is read, no execution of it waits any more: the callbacks of waits that ran out of time go. */
export async function forgetCallbacks(orderRef: string, what: Callback['what']): Promise<void> {
  for (const callback of await findCallbacks(orderRef, what)) await removeCallback(callback);
}

/** The wait is over: nobody finds it any more. */
export async function removeCallback(callback: Callback): Promise<void> {
  await deleteItem(keyOf(callback));
}
