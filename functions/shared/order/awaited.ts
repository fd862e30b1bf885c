import { environmentNumber } from '../environment.ts';
import { DecisionOverdue, SignaturesOverdue } from '../errors.ts';
import { type Callback, removeCallback } from './callback.ts';
import type { Awaited, OrderItem } from './order-item.ts';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Whether people have been asked for this before: nobody is asked twice. */
export function isAsked({ awaited }: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): boolean {
  return awaited?.what === what && awaited.round === round;
}

/** What is asked for, since the first time: the deadline is counted from there, however often the wait begins again. */
export function askedSince(order: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): Awaited {
  const { awaited } = order;
  return awaited && isAsked(order, what, round) ? awaited : { what, round, since: new Date().toISOString() };
}

/**
 * Called by whoever has looked for what is awaited, and has not found it: what came in time counts, though nobody heard of it.
 * @throws SignaturesOverdue, DecisionOverdue once the stage's deadline has passed since the order was asked first.
 */
export async function refuseOverdue(order: OrderItem, callback: Callback): Promise<void> {
  const { what, round } = callback;
  if (!isAsked(order, what, round) || !isOverdue(order)) return;
  await removeCallback(callback);
  const [Overdue, words] =
    what === 'decision' ? [DecisionOverdue, 'No decision on the offers'] : [SignaturesOverdue, 'Not every signature'];
  throw new Overdue(
    `Order ${order.orderRef}: ${words} came before the stage's deadline. Nothing is lost: a retry waits again.`,
  );
}

function isOverdue({ awaited }: Pick<OrderItem, 'awaited'>): boolean {
  if (!awaited) return false;
  const days = environmentNumber(awaited.what === 'decision' ? 'DECISION_DEADLINE_DAYS' : 'SIGNATURES_DEADLINE_DAYS');
  return Date.now() - Date.parse(awaited.since) >= days * MILLISECONDS_PER_DAY;
}
