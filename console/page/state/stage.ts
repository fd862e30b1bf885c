import { signal } from '@preact/signals';
import type { Failure, OrderRow, OrdersMessage, StageFacts } from '../../api.ts';
import { messages } from '../messages/language.ts';
import { call, wasOpened } from './call.ts';
import { follow, pace } from './follow.ts';

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

const STAGE_AGAIN = 30_000;

export function followStage(): void {
  let known = 0;
  const take = ({ version, isWhole, rows }: OrdersMessage) => {
    stalled.value = undefined;
    known = version;
    if (rows.length === 0 && !isWhole) return;
    const changed = rows.map((row) => [row.orderRef, row] as const);
    orders.value = new Map(isWhole ? changed : [...(orders.value ?? []), ...changed]);
  };
  follow<OrdersMessage>(
    () => `/api/orders?after=${known}`,
    take,
    ({ status, refused }) => {
      if (status === 401 || status === 403) stalled.value = wasOpened() ? 'restarted' : refused;
      else stalled.value = status === 0 ? 'console' : refused;
    },
  );
  loadStage();
}

/** Repeated from time to time, because a pause may begin and end. */
async function loadStage(): Promise<void> {
  await readStage();
  setTimeout(loadStage, STAGE_AGAIN);
}

export async function readStage(): Promise<void> {
  // The list of orders reports the failure.
  stage.value = await call<StageFacts>('/api/stage').catch(() => stage.value);
  if (stage.value) pace.lookEvery = stage.value.lookEvery;
}
