import type { State } from '../../core/ledger/knowledge.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import { settleAsNotDone } from '../../core/order/order-ledger.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { changeOrder } from '../../core/people/told-order.ts';
import type { Known } from '../../core/reading/cursor.ts';
import type { NextStep } from '../../core/reading/next-step.ts';
import { acceptState, roundOf, settleAccept } from '../../core/reading/settle-accepts.ts';
import type { ReadOrderInput } from './cursor.ts';
import type { Read } from './keep-read.ts';

/** What is known of the accept of the round that the order waits for. */
export async function acceptOfRound({ record, order: { status } }: Read, { known }: ReadOrderInput): Promise<State> {
  const round = roundOf(record, status);
  return round ? acceptState(record, round, known?.accepted) : 'none';
}

/** Records the outcome of an accept, if the read shows it. */
export async function settleRound({ record, order }: Read, step: NextStep, { known }: ReadOrderInput): Promise<void> {
  const left = roundOf(record, record.status);
  if (!left) return;
  if (step.isNotAccepted) return settleAsNotDone(record.orderRef, acceptName(left.kind, left.number));
  const isNext = (step.signaturesRound?.number ?? 0) > left.number && left.kind === 'signatures';
  if (isNext || order.status !== record.status) await settleAccept(record, left, known?.accepted);
}

/** An order is CLOSED only after its offers (specification, section 3), which no read may have found. */
const hasHadOffers = (status: string) => status.startsWith('OFFERS_') || status === 'CLOSED';

/** Shows operators that an order has, or had, offers although no accept of signatures is known to be done. */
export async function recordUnsigned({ record, order }: Read, known: Known | undefined): Promise<void> {
  if (!hasHadOffers(order.status) || hasHadOffers(record.status) || record.unsigned) return;
  const round = roundOf(record, 'WAITING_FOR_SIGNATURE');
  if (round && (await acceptState(record, round, known?.accepted)) === 'done') return;
  await addEvent(record.orderRef, 'Reached its offers without signatures', { asked: round ? 'yes' : 'no' });
  await changeOrder(record, { unsigned: true });
}
