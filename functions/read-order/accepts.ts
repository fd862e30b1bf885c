import { mayBeDone, type State } from '../../core/ledger/knowledge.ts';
import { acceptName } from '../../core/order/operation-names.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { findOperation, settleAsDone, settleAsNotDone } from '../../core/order/order-ledger.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { changeOrder } from '../../core/people/publish-changes.ts';
import type { Known } from '../../core/reading/cursor.ts';
import type { NextStep } from '../../core/reading/next-step.ts';
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

type Round = { kind: 'documents' | 'signatures'; number: number };
type AcceptingOrder = Pick<OrderItem, 'orderRef' | 'documentsRound' | 'signaturesRound'>;

/** The round of documents or signatures that the order waits for in this status; undefined if there is none. */
function roundOf({ documentsRound, signaturesRound }: AcceptingOrder, status: string): Round | undefined {
  const number = status === 'WAITING_FOR_DOCUMENTS' ? documentsRound : signaturesRound?.number;
  if (number === undefined) return undefined;
  if (status === 'WAITING_FOR_DOCUMENTS') return { kind: 'documents', number };
  return status === 'WAITING_FOR_SIGNATURE' ? { kind: 'signatures', number } : undefined;
}

/** What the ledger knows of the accept of a round. It need not be asked about `accepted`, which is done. */
async function acceptState(
  { orderRef }: AcceptingOrder,
  { kind, number }: Round,
  accepted: Known['accepted'],
): Promise<State> {
  const name = acceptName(kind, number);
  if (name === accepted) return 'done';
  return (await findOperation(orderRef, name))?.knowledge.state ?? 'none';
}

/** Records that a round's accept was done, because a read shows that the order has left the round. */
async function settleAccept(order: AcceptingOrder, round: Round, accepted: Known['accepted']): Promise<void> {
  if (!mayBeDone({ state: await acceptState(order, round, accepted) })) return;
  const { kind, number } = round;
  await settleAsDone(order.orderRef, acceptName(kind, number), { round: number });
  await addEvent(order.orderRef, `Found ${kind} accepted`, { round: number });
}
