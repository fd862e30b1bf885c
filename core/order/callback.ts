import { createHash } from 'node:crypto';
import { deleteItem, putItem, queryItems } from '../aws/order-table.ts';

/**
 * The task token of a waiting execution: the item `callback#<what>#<digest of the token>` in the order's record. A repeated
 * step gets a new token while its first run may still be running. So each token has an item of its own.
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
 * Saves the task token of a waiting execution. Save it before looking for what the execution waits for. Whoever brings that
 * stores it before looking for the token. The second of the two sees the first, so no wake-up is lost.
 */
export async function saveCallback(callback: Callback): Promise<void> {
  await putItem({ ...callback, ...keyOf(callback), since: new Date().toISOString() });
}

export async function findCallbacks(orderRef: string, what: Callback['what']): Promise<Callback[]> {
  return queryItems<Callback>(orderRef, `callback#${what}`);
}

/** Removes the callbacks of waits that have ended. While the order is read, no execution of it waits. */
export async function forgetCallbacks(orderRef: string, what: Callback['what']): Promise<void> {
  for (const callback of await findCallbacks(orderRef, what)) await removeCallback(callback);
}

export async function removeCallback(callback: Callback): Promise<void> {
  await deleteItem(keyOf(callback));
}
