import type { WaitingFor } from '../functions/shared/order/order-item.ts';
import type { Answer } from './refusal.ts';
import type { Connection } from './stage/connection.ts';
import type { ListedOrder } from './stage/record.ts';
import { columns, time } from './text.ts';

const HEADINGS = ['ORDER', 'STATUS', 'WAITING FOR', 'GENERATION', 'CHANGED', 'FAILURE'];

/** `list`: the orders, most recently changed first. */
export async function list(
  { record }: Connection,
  filter: { status?: string; waitingFor?: WaitingFor },
): Promise<Answer> {
  const orders = await record.list(filter);
  const lines = orders.length > 0 ? columns([HEADINGS, ...orders.map(row)]) : ['No matching orders.'];
  return { lines, json: orders.map(summary) };
}

function row({ orderRef, status, waitingFor, generation, changedAt, failure }: ListedOrder): string[] {
  return [orderRef, status, waitingFor, String(generation), time(changedAt), failure?.error ?? ''];
}

function summary({ orderRef, status, waitingFor, orderId, generation, changedAt, failure }: ListedOrder) {
  return { orderRef, status, waitingFor, orderId, generation, changedAt, failure: failure?.error };
}
