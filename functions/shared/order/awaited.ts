import { environmentNumber } from '../environment.ts';
import { DecisionOverdue, SignaturesOverdue } from '../errors.ts';
import { type Callback, removeCallback } from './callback.ts';
import type { Awaited, OrderItem } from './order-item.ts';

const MILLISECONDS_PER_DAY = 86_400_000;

/** Whether people have been asked for this before. They are asked once only. */
export function isAsked({ awaited }: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): boolean {
  return awaited?.what === what && awaited.round === round;
}

/** What people are asked for, and since when. `since` stays the same if the wait begins again, so the deadline does, too. */
export function askedSince(order: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): Awaited {
  const { awaited } = order;
  return awaited && isAsked(order, what, round) ? awaited : { what, round, since: new Date().toISOString() };
}

/**
 * Fails if the stage's deadline has passed. Call this only after looking for the signatures or the decision in intake: their
 * event may have been lost.
 * @throws SignaturesOverdue
 * @throws DecisionOverdue
 */
export async function refuseOverdue(order: OrderItem, callback: Callback): Promise<void> {
  const { what, round } = callback;
  if (!isAsked(order, what, round) || !isOverdue(order)) return;
  await removeCallback(callback);
  const [Overdue, missing] =
    what === 'decision'
      ? [DecisionOverdue, 'the decision on the offers is missing']
      : [SignaturesOverdue, 'signatures are missing'];
  throw new Overdue(
    `Order ${order.orderRef}: ${missing}, and the stage's deadline has passed. Nothing is lost: a retry waits again.`,
  );
}

function isOverdue({ awaited }: Pick<OrderItem, 'awaited'>): boolean {
  if (!awaited) return false;
  const days = environmentNumber(awaited.what === 'decision' ? 'DECISION_DEADLINE_DAYS' : 'SIGNATURES_DEADLINE_DAYS');
  return Date.now() - Date.parse(awaited.since) >= days * MILLISECONDS_PER_DAY;
}
