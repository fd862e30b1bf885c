import { isAsked } from '../../core/order/awaited.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { Order } from '../../core/order-service/order-service-client.ts';
import { forgetCallbacks, secondsOfWait } from '../../core/people/waits.ts';
import type { NextStep } from '../../core/reading/next-step.ts';
import { handOver, items, type ReadOrderInput, type ReadOrderOutput, type Wait, waitOutput } from './cursor.ts';

/** What people are asked for in a status. */
const awaitedIn = { WAITING_FOR_SIGNATURE: 'signatures', OFFERS_AVAILABLE: 'decision' } as const;

/**
 * Prepares to continue a wait for people, if the read shows that the order still waits for them. Such a wait ends every few
 * hours and the order is read, because its status may have changed, or a wake-up may have been lost.
 * @returns the step, with whether people were asked for this before.
 */
export async function askAgain(record: OrderItem, { status }: Order, step: NextStep): Promise<NextStep> {
  const what = awaitedIn[status as keyof typeof awaitedIn];
  const round = what === 'decision' ? 1 : (step.signaturesRound?.number ?? 0);
  if (step.todo !== 'act' || what === undefined || !isAsked(record, what, round)) return step;
  await forgetCallbacks(record.orderRef, what);
  return { ...step, isAsked: true };
}

/** How long a wait for people lasts in this status, if they may have been asked before; 0 if the order waits for nobody. */
export function waitSecondsIn(status: string, { awaited }: OrderItem, isAgain: boolean): number {
  const what = awaitedIn[status as keyof typeof awaitedIn];
  return what === undefined ? 0 : secondsOfWait(what, isAgain ? awaited?.since : undefined);
}

/**
 * Continues a wait for people without a read, because it is too early to read. What they upload meanwhile ends the wait at once.
 * @param nextReadSeconds until the next read is allowed; undefined if nobody knows, because the stage is paused.
 */
export async function waitOn(
  record: OrderItem,
  cursor: ReadOrderInput,
  wait: Wait,
  nextReadSeconds: number | undefined,
): Promise<ReadOrderOutput> {
  const output = waitOutput(record, cursor, wait);
  const { orderRef, waitingFor, signaturesRound, awaited } = record;
  if (waitingFor !== 'signatures' && waitingFor !== 'decision') return output;
  await forgetCallbacks(orderRef, waitingFor);
  const files = waitingFor === 'signatures' ? (signaturesRound?.fileIds ?? []) : [];
  const documents = items(record, [...files.keys()]);
  const waitSeconds = secondsOfWait(waitingFor, awaited?.since, nextReadSeconds);
  const todo = handOver(cursor, 'act', files.length);
  return { ...output, ...todo, round: signaturesRound?.number ?? 0, documents, waitSeconds };
}
