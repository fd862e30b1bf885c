import { signal } from '@preact/signals';
import type { Failure, OrderRow, OrdersMessage, StageFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { call, wasOpened } from './call.ts';
import { follow } from './follow.ts';

export const stage = signal<StageFacts | undefined>(undefined);

/** All orders by reference; undefined before they are loaded. */
export const orders = signal<ReadonlyMap<string, OrderRow> | undefined>(undefined);

/** Why the table is not updated: the stage cannot be read (a failure), or the console does not answer, or no longer knows this browser. */
export const stalled = signal<Failure | 'console' | 'restarted' | undefined>(undefined);

/** A failure in the page's language, unless the bar at the top already shows it. */
export function unsaid(failed: Failure | undefined): string | undefined {
  const said = stalled.value;
  if (failed === undefined || typeof said === 'string') return undefined;
  const { failure } = messages.value;
  return said && failure(said) === failure(failed) ? undefined : failure(failed);
}

/** The time by the console's clock, in milliseconds. It advances every few seconds, so ages grow without a reload. */
export const now = signal(Date.now());

/** How far this browser's clock is behind the console's. Milliseconds. */
let behind = 0;

const STAGE_AGAIN = 30_000;
const CLOCK_MOVES = 5_000;

export function setClock(iso: string): void {
  behind = Date.parse(iso) - Date.now();
  now.value = Date.now() + behind;
}

export function followStage(): void {
  setInterval(() => {
    now.value = Date.now() + behind;
  }, CLOCK_MOVES);
  follow('/api/orders/live', take, (refused) => {
    if (refused?.status !== 401 && refused?.status !== 403) stalled.value = 'console';
    else stalled.value = wasOpened() ? 'restarted' : refused.refused;
  });
  loadStage();
}

/** Repeated from time to time, because a pause may begin and end. */
async function loadStage(): Promise<void> {
  // The orders' stream reports the failure.
  stage.value = await call<StageFacts>('/api/stage').catch(() => stage.value);
  setTimeout(loadStage, STAGE_AGAIN);
}

function take(message: OrdersMessage): void {
  stalled.value = 'failed' in message ? message.failed : undefined;
  if ('failed' in message) return;
  setClock(message.now);
  const isWhole = 'all' in message;
  const rows = isWhole ? message.all : message.changed;
  const changed = rows.map((row) => [row.orderRef, row] as const);
  orders.value = new Map(isWhole ? changed : [...(orders.value ?? []), ...changed]);
}
