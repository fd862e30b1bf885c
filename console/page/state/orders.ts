import { signal } from '@preact/signals';
import type { OrderRow, OrdersMessage } from '../../api.ts';
import { setClock } from './clock.ts';
import { follow } from './follow.ts';

/** All orders by their reference, or undefined before they are known. */
export const orders = signal<ReadonlyMap<string, OrderRow> | undefined>(undefined);

/** Why the table does not move: the stage cannot be read (a sentence), or the console does not answer. */
export const stalled = signal<{ sentence: string } | 'console' | undefined>(undefined);

/** References of orders that changed a moment ago. */
export const fresh = signal<ReadonlySet<string>>(new Set());

const FRESH_FOR = 1_600;

/** Follows the orders from now on. */
export function followOrders(): void {
  follow('/api/orders/live', take, () => {
    stalled.value = 'console';
  });
}

function take(message: OrdersMessage): void {
  if ('failed' in message) {
    stalled.value = { sentence: message.failed };
    return;
  }
  stalled.value = undefined;
  setClock(message.now);
  if ('all' in message) {
    orders.value = new Map(message.all.map((row) => [row.orderRef, row]));
    return;
  }
  const next = new Map(orders.value);
  for (const row of message.changed) next.set(row.orderRef, row);
  orders.value = next;
  const refs = message.changed.map(({ orderRef }) => orderRef);
  fresh.value = new Set([...fresh.value, ...refs]);
  setTimeout(() => {
    fresh.value = new Set([...fresh.value].filter((ref) => !refs.includes(ref)));
  }, FRESH_FOR);
}
