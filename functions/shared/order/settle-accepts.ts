import { mayBeDone, type State } from '../ledger/knowledge.ts';
import { acceptName } from './operation-names.ts';
import type { OrderItem } from './order-item.ts';
import { findOperation, settleAsDone } from './order-ledger.ts';
import { addEvent } from './timeline.ts';

type Round = { kind: 'documents' | 'signatures'; number: number };
type AcceptingOrder = Pick<OrderItem, 'orderRef' | 'documentsRound' | 'signaturesRound'>;

/** The round that an order of this status stands in, which its accept ends; undefined where there is none. */
export function roundOf({ documentsRound, signaturesRound }: AcceptingOrder, status: string): Round | undefined {
  const number = status === 'WAITING_FOR_DOCUMENTS' ? documentsRound : signaturesRound?.number;
  if (number === undefined) return undefined;
  if (status === 'WAITING_FOR_DOCUMENTS') return { kind: 'documents', number };
  return status === 'WAITING_FOR_SIGNATURE' ? { kind: 'signatures', number } : undefined;
}

/**
 * What is known of the accept that ends a round.
 * @param accepted the name of an accept that is known to be done.
 */
export async function acceptState(
  { orderRef }: AcceptingOrder,
  { kind, number }: Round,
  accepted: string | undefined,
): Promise<State> {
  const name = acceptName(kind, number);
  if (name === accepted) return 'done';
  return (await findOperation(orderRef, name))?.knowledge.state ?? 'none';
}

/** A read shows that the order has left this round: its accept came through, whatever was answered. */
export async function settleAccept(order: AcceptingOrder, round: Round, accepted: string | undefined): Promise<void> {
  if (!mayBeDone({ state: await acceptState(order, round, accepted) })) return;
  const { kind, number } = round;
  await settleAsDone(order.orderRef, acceptName(kind, number), { round: number });
  await addEvent(order.orderRef, `Found ${kind} accepted`, { round: number });
}
