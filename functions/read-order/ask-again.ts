import { isAsked } from '../shared/order/awaited.ts';
import { forgetCallbacks } from '../shared/order/callback.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import type { Order } from '../shared/order/order-service-client.ts';
import type { NextStep } from '../shared/polling/next-step.ts';
import { items, type ReadOrderInput, type ReadOrderOutput, type Wait, waitOutput } from './cursor.ts';
import { handOver } from './hand-over.ts';

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

/** Continues a wait for people without a read, because it is too early to read. What they upload meanwhile ends the wait at once. */
export async function waitOn(record: OrderItem, cursor: ReadOrderInput, wait: Wait): Promise<ReadOrderOutput> {
  const output = waitOutput(record, cursor, wait);
  const { orderRef, waitingFor, signaturesRound } = record;
  if (waitingFor !== 'signatures' && waitingFor !== 'decision') return output;
  await forgetCallbacks(orderRef, waitingFor);
  const files = waitingFor === 'signatures' ? (signaturesRound?.fileIds ?? []) : [];
  const documents = items(record, [...files.keys()]);
  return { ...output, ...handOver(cursor, 'act', files.length), round: signaturesRound?.number ?? 0, documents };
}
