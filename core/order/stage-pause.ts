import { createHash } from 'node:crypto';
import type { RecordTable } from '../aws/record-table.ts';
import { LONGEST_WAIT_SECONDS } from '../time.ts';
import { attemptNumber, type OrderItem } from './order-item.ts';

/** The key of the item that says that the stage is paused, or when it was resumed. No order has it. */
export const PAUSE_KEY = { orderRef: '#stage', item: 'pause' };

/** The key of the item that records what `restored` did to the table. A copy of the table has the item, too. */
export const PREPARED_KEY = { orderRef: PAUSE_KEY.orderRef, item: 'restored' };

export interface Prepared {
  /** The time that the table was restored to. */
  to?: string;
  /** The name of the table, once `restored` was run while the stage used it. */
  table?: string;
}

/** Whether the adopted table knows which orders the service may have. */
export const isPrepared = (table: string, prepared?: Prepared) => prepared?.table === table;

/** The stage's last pause. Times are ISO 8601 in UTC. People are access keys, whose owners CloudTrail knows. */
export interface StagePause {
  since: string;
  /** The access key of who paused the stage. */
  by: string;
  /** Why, without personal data. */
  reason: string;
  /** Absent while the stage is paused. */
  resumedAt?: string;
  resumedBy?: string;
  /** Seconds after `resumedAt` over which the held orders continue, one after another. */
  goOnSeconds?: number;
}

const SECOND = 1_000;
/** Seconds between two checks of the pause. A long pause is checked less often, because each check costs a poll. */
const SHORTEST_LOOK = 60;
const LONGEST_LOOK = 900;
/** The wait for the next check is this share of the time that the pause has lasted. */
const GROWTH = 0.1;

export const isPaused = (pause: StagePause | undefined): pause is StagePause & { resumedAt?: never } =>
  pause !== undefined && pause.resumedAt === undefined;

/** The keys of the items that describe a stage's pause. */
export const pauseKeys = (adoptedTable: string | undefined) =>
  adoptedTable === undefined ? [PAUSE_KEY] : [PAUSE_KEY, PREPARED_KEY];

/**
 * The pause that these items describe. An adopted table also means a pause until it is prepared: otherwise an order might be created twice.
 * Until {@link recordAdoptedPause} has stored that pause, its `since` is the time of each call.
 */
export function pauseIn(items: readonly unknown[], adoptedTable: string | undefined): StagePause | undefined {
  const [pause, prepared] = items as [StagePause | undefined, Prepared | undefined];
  if (adoptedTable === undefined || isPaused(pause) || isPrepared(adoptedTable, prepared)) return pause;
  const reason = `Table ${adoptedTable} was adopted, and "restored" has not prepared it (docs/recovery.md)`;
  return { since: new Date().toISOString(), by: 'the stack', reason };
}

/** Records the pause of an adopted table. Any other pause is already recorded. A pause that was ended meanwhile is not restored. */
export async function recordAdoptedPause(table: RecordTable, pause: StagePause): Promise<void> {
  const isNew = 'attribute_not_exists(since) OR resumedAt < :since';
  await table.putItem({ ...PAUSE_KEY, ...pause }, isNew, { ':since': pause.since });
}

type HeldOrder = Pick<OrderItem, 'orderRef' | 'createdAt' | 'generation' | 'redrives' | 'whilePaused'>;

/** Whether an operator lets this order go on in this pause. The permission ends with the order's execution, and with the pause. */
export function isLetThrough(pause: StagePause | undefined, order: HeldOrder): boolean {
  const { whilePaused } = order;
  return isPaused(pause) && whilePaused?.attempt === attemptNumber(order) && whilePaused.since === pause.since;
}

/**
 * The time before which an order must not call the service because of the pause, or undefined if it may. While the stage is paused, that is
 * the time of the next check. After that, each held order has its own time, to spread the load.
 * @param now milliseconds since the epoch.
 */
export function heldUntil(pause: StagePause | undefined, order: HeldOrder, now = Date.now()): string | undefined {
  const { orderRef, createdAt } = order;
  if (pause === undefined || isLetThrough(pause, order)) return undefined;
  if (isPaused(pause)) return new Date(now + secondsToLook(pause, now) * SECOND).toISOString();
  const { resumedAt = '', goOnSeconds = 0 } = pause;
  const resumed = Date.parse(resumedAt);
  // An operator's clock that is ahead must not hold orders.
  if (createdAt > resumedAt || now < resumed) return undefined;
  // Operators can write any number.
  const goesOn = resumed + Math.min(goOnSeconds, LONGEST_WAIT_SECONDS) * shareOf(orderRef) * SECOND;
  return goesOn > now ? new Date(goesOn).toISOString() : undefined;
}

/** A randomized wait, so orders do not all check at once. If `since` is not a valid time, orders check again soon. */
export function secondsToLook({ since }: Pick<StagePause, 'since'>, now: number): number {
  const grown = (GROWTH * (now - Date.parse(since))) / SECOND || 0;
  return Math.ceil(Math.min(Math.max(SHORTEST_LOOK, grown), LONGEST_LOOK) * (0.75 + Math.random() / 4));
}

/** A number from 0 to 1 that is always the same for the order. */
const shareOf = (orderRef: string): number =>
  createHash('sha256').update(orderRef).digest().readUInt32BE() / 0x1_0000_0000;
