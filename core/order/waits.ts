import { createHash } from 'node:crypto';
import { orderTable } from '../aws/order-table.ts';
import { DecisionOverdue, SignaturesOverdue } from '../errors.ts';
import { deadlineSettings } from '../settings.ts';
import { type Asked, deadlineOf, dueOf, reminderAt } from './due.ts';
import { isAsked, type OrderItem } from './order-item.ts';
import { drivenBy } from './order-record.ts';
import { type StagedDocument, stagedIn } from './to-sign.ts';

/**
 * The task token of an execution that waits for people: the item `callback#<what>#<digest of the token>` in the order's record. A repeated
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
 * Saves the task token of a waiting execution. Save it before checking for what the execution waits for. The uploader stores the file
 * before looking for the token. The second of the two sees the first, so no wake-up is lost.
 * @param waitSeconds until the wait ends and the order is read again; shown to people.
 */
export async function saveCallback(callback: Callback, waitSeconds?: number): Promise<void> {
  const now = Date.now();
  const until = waitSeconds !== undefined && { until: new Date(now + waitSeconds * 1000).toISOString() };
  await orderTable.putItem({ ...callback, ...keyOf(callback), since: new Date(now).toISOString(), ...until });
}

/** An order with everything that decides whether a wait for people is over. */
export type WaitingOrder = OrderItem & {
  /** Of all rounds. */
  staged: StagedDocument[];
  /** Of the order's current execution and round. */
  callbacks: Callback[];
};

/** Reads the whole record in one request. A callback's round is recorded before the callback, and callbacks are read before the order. */
export async function findWaitingOrder(orderRef: string): Promise<WaitingOrder | undefined> {
  const items = await orderTable.queryItems<{ item: string }>(orderRef);
  const order = items.find(({ item }) => item === 'order') as OrderItem | undefined;
  if (!order) return undefined;
  const callbacks = items.filter(({ item }) => item.startsWith('callback#')) as unknown[] as Callback[];
  const isCurrent = ({ generation, round, what }: Callback) =>
    generation === order.generation && (what === 'decision' || round === order.rounds?.signatures?.number);
  return { ...order, staged: stagedIn(items), callbacks: callbacks.filter(isCurrent) };
}

/** @throws Superseded if another generation now drives the order. */
export const loadWaitingOrder = async (orderRef: string, generation: number): Promise<WaitingOrder> =>
  drivenBy(generation, orderRef, await findWaitingOrder(orderRef));

/** Milliseconds. A wait that has ended was begun at least {@link LEAST_WAIT_SECONDS} ago. */
const ENDED_AFTER = 60_000;

/**
 * Removes the callbacks of waits that have ended. A late run of a step does not remove the callback of a newer wait.
 * @param now milliseconds since the epoch.
 */
export async function forgetCallbacks(orderRef: string, what: Callback['what'], now: number): Promise<void> {
  const ended = new Date(now - ENDED_AFTER).toISOString();
  const found = await orderTable.queryItems<Callback & { since: string }>(orderRef, `callback#${what}`);
  for (const callback of found.filter(({ since }) => since < ended)) await removeCallback(callback);
}

export async function removeCallback(callback: Callback): Promise<void> {
  await orderTable.deleteItem(keyOf(callback));
}

/**
 * Fails if the stage's deadline has passed. Call this only after checking intake for the signatures or the decision: their event may have
 * been lost.
 * @throws SignaturesOverdue
 * @throws DecisionOverdue
 */
export async function refuseOverdue(order: OrderItem, callback: Callback): Promise<void> {
  const { what, round } = callback;
  const { since } = order.awaited ?? {};
  if (since === undefined || !isAsked(order, what, round)) return;
  if (Date.now() < deadlineOf({ what, since }, deadlineSettings)) return;
  await removeCallback(callback);
  const [Overdue, missing] =
    what === 'decision'
      ? [DecisionOverdue, 'the decision on the offers is missing']
      : [SignaturesOverdue, 'signatures are missing'];
  throw new Overdue(
    `Order ${order.orderRef}: ${missing}, and the stage's deadline has passed. Nothing is lost: a retry waits again.`,
  );
}

/** The shortest wait for people. The function that begins the wait must end sooner (core/timeouts.ts). */
export const LEAST_WAIT_SECONDS = 180;

/** An upload whose event was lost is found by a read after this time. */
const WAIT_RECHECK_SECONDS = 6 * 3_600;

/**
 * Seconds until a wait for people ends, and the order is read: after `WAIT_RECHECK_SECONDS`, when they are reminded, at the deadline, or
 * when the service allows the next read, whichever is first. Rounded up, so that no read is early.
 * @param due when they must have answered. Default: at the deadline.
 * @param nextReadSeconds until the next read is allowed, if it is too early to read now.
 */
export function secondsOfWait(
  asked: Asked,
  due: string | undefined,
  {
    rules,
    now,
    nextReadSeconds = Number.POSITIVE_INFINITY,
  }: { rules: typeof deadlineSettings; now: number; nextReadSeconds?: number },
): number {
  const reminder = reminderAt(asked.since, due ?? dueOf(asked, undefined, rules));
  // The step that begins a wait later than that has reminded them.
  const ends = [deadlineOf(asked, rules), ...(reminder > now ? [reminder] : [])].map((end) =>
    Math.ceil((end - now) / 1000),
  );
  return Math.max(LEAST_WAIT_SECONDS, Math.min(WAIT_RECHECK_SECONDS, nextReadSeconds, ...ends));
}
