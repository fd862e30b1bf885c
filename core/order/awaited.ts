import { DecisionOverdue, SignaturesOverdue } from '../errors.ts';
import { deadlineSettings, readSettings } from '../settings.ts';
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
  return awaited !== undefined && Date.now() - Date.parse(awaited.since) >= millisecondsFor(awaited.what);
}

function millisecondsFor(what: Awaited['what']): number {
  const days = what === 'decision' ? deadlineSettings.decisionDays : deadlineSettings.signaturesDays;
  return days * MILLISECONDS_PER_DAY;
}

/** The shortest wait for people. The function that begins the wait must have ended before (infra/timeouts.ts). */
export const LEAST_WAIT_SECONDS = 180;

/**
 * Seconds until a wait for people ends, and the order is read: after the stage's `waitRecheckHours`, at the deadline, or when
 * the service allows the next read, whichever is first. Rounded up, so that no read is early.
 * @param since when people were first asked; undefined if they are asked now.
 * @param nextReadSeconds until the next read is allowed, if it is too early to read now.
 */
export function secondsOfWait(what: Awaited['what'], since: string | undefined, nextReadSeconds?: number): number {
  const deadline = (since === undefined ? Date.now() : Date.parse(since)) + millisecondsFor(what);
  const untilDeadline = Math.ceil((deadline - Date.now()) / 1000);
  const recheck = readSettings.waitRecheckHours * 3_600;
  return Math.max(LEAST_WAIT_SECONDS, Math.min(recheck, untilDeadline, nextReadSeconds ?? Number.POSITIVE_INFINITY));
}
