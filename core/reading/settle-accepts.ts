import { mayBeDone, type State } from '../ledger/knowledge.ts';
import { acceptName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOperation, settleAsDone } from '../order/order-ledger.ts';
import { addEvent } from '../order/timeline.ts';
import type { Known } from './cursor.ts';

type Round = { kind: 'documents' | 'signatures'; number: number };
type AcceptingOrder = Pick<OrderItem, 'orderRef' | 'documentsRound' | 'signaturesRound'>;

/** The round of documents or signatures that the order waits for in this status; undefined if there is none. */
export function roundOf({ documentsRound, signaturesRound }: AcceptingOrder, status: string): Round | undefined {
  const number = status === 'WAITING_FOR_DOCUMENTS' ? documentsRound : signaturesRound?.number;
  if (number === undefined) return undefined;
  if (status === 'WAITING_FOR_DOCUMENTS') return { kind: 'documents', number };
  return status === 'WAITING_FOR_SIGNATURE' ? { kind: 'signatures', number } : undefined;
}

/** What the ledger knows of the accept of a round. It need not be asked about `accepted`, which is done. */
export async function acceptState(
  { orderRef }: AcceptingOrder,
  { kind, number }: Round,
  accepted: Known['accepted'],
): Promise<State> {
  const name = acceptName(kind, number);
  if (name === accepted) return 'done';
  return (await findOperation(orderRef, name))?.knowledge.state ?? 'none';
}

/** Records that a round's accept was done, because a read shows that the order has left the round. */
export async function settleAccept(order: AcceptingOrder, round: Round, accepted: Known['accepted']): Promise<void> {
  if (!mayBeDone({ state: await acceptState(order, round, accepted) })) return;
  const { kind, number } = round;
  await settleAsDone(order.orderRef, acceptName(kind, number), { round: number });
  await addEvent(order.orderRef, `Found ${kind} accepted`, { round: number });
}
