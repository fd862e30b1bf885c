import type { Awaited, OrderItem } from './order-item.ts';

/** Whether people have been asked for this before. They are asked once only. */
export function isAsked({ awaited }: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): boolean {
  return awaited?.what === what && awaited.round === round;
}

/** What people are asked for, and since when. `since` stays the same if the wait begins again, so the deadline does, too. */
export function askedSince(order: Pick<OrderItem, 'awaited'>, what: Awaited['what'], round: number): Awaited {
  const { awaited } = order;
  return awaited && isAsked(order, what, round) ? awaited : { what, round, since: new Date().toISOString() };
}
