import { environmentNumber } from '../environment.ts';
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

/** Whether the stage's deadline for what the order is asked for has passed. */
export function isOverdue({ awaited }: Pick<OrderItem, 'awaited'>): boolean {
  if (!awaited) return false;
  const days = environmentNumber(awaited.what === 'decision' ? 'DECISION_DEADLINE_DAYS' : 'SIGNATURES_DEADLINE_DAYS');
  return Date.now() - Date.parse(awaited.since) >= days * MILLISECONDS_PER_DAY;
}
