import { isAsked } from '../shared/order/awaited.ts';
import { forgetCallbacks } from '../shared/order/callback.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import type { Order } from '../shared/order/order-service-client.ts';
import type { NextStep } from '../shared/polling/next-step.ts';
import { items, type ReadOrderInput, type ReadOrderOutput, type Wait, waitOutput } from './cursor.ts';
import { handOver } from './hand-over.ts';

/** Who may be asked again, by the status that asks. */
const asking = { WAITING_FOR_SIGNATURE: 'signatures', OFFERS_AVAILABLE: 'decision' } as const;

/**
 * A wait for people ends every few hours, so that an order which has moved on at the service is noticed, and a wake-up that was lost is made
 * good. Where the read says the same as before, the wait begins again, and nobody is told anything.
 * @returns the step, with whether people were asked for this before.
 */
export async function askAgain(record: OrderItem, { status }: Order, step: NextStep): Promise<NextStep> {
  const what = asking[status as keyof typeof asking];
  const round = what === 'decision' ? 1 : (step.signaturesRound?.number ?? 0);
  if (step.todo !== 'act' || what === undefined || !isAsked(record, what, round)) return step;
  await forgetCallbacks(record.orderRef, what);
  return { ...step, isAsked: true };
}

/** People are waited for on, where the order may not be read yet: what they bring in the meantime counts at once. */
export async function waitOn(record: OrderItem, cursor: ReadOrderInput, wait: Wait): Promise<ReadOrderOutput> {
  const output = waitOutput(record, cursor, wait);
  const { orderRef, waitingFor, signaturesRound } = record;
  if (waitingFor !== 'signatures' && waitingFor !== 'decision') return output;
  await forgetCallbacks(orderRef, waitingFor);
  const files = waitingFor === 'signatures' ? (signaturesRound?.fileIds ?? []) : [];
  const documents = items(record, [...files.keys()]);
  return { ...output, ...handOver(cursor, 'act', files.length), round: signaturesRound?.number ?? 0, documents };
}
