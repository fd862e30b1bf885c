import { type Choice, type Decision, isAvailable, isListed } from './choices.ts';
import { anyConfirmed } from './decision.ts';
import { stageChoices } from './decision-file.ts';
import { settle } from './ledger.ts';
import { confirmName } from './operations.ts';
import { addEvent } from './order-record.ts';
import type { Offer, Order } from './order-service-client.ts';

/** What a confirm brings an order to (specification, endpoint 7). Any other status is one from before, which a stale read may show. */
const AFTER_CONFIRM = ['OFFERS_APPROVED', 'CLOSED'];

/**
 * The choices of which the order proves that their confirm came through. While it has not moved on none did. OFFERS_APPROVED proves the
 * only one that may have. Of several, and once the order is CLOSED, which the bank may have done without any confirm, the offers tell, by
 * being AVAILABLE no longer (docs/assumptions.md).
 */
export function provenConfirms(decision: Decision, order: Order): Choice[] {
  if (!AFTER_CONFIRM.includes(order.status)) return [];
  const offers = order.offers ?? [];
  const unsure = decision.choices.filter(({ isUnsure }) => isUnsure).map(({ choice }) => choice);
  const isFirst = !anyConfirmed(decision) && unsure.length === 1;
  if (isFirst && order.status === 'OFFERS_APPROVED') return unsure;
  return unsure.filter(({ offerId }) => (isFirst || isListed(offers, offerId)) && !isAvailable(offers, offerId));
}

/**
 * Records what a read proves of confirms whose execution was ended before it could find out, and stages it. Once the order is CLOSED an
 * offer that is still AVAILABLE was not confirmed, and never will be.
 * @returns whether anything was found out.
 */
export async function settleConfirms(orderRef: string, decision: Decision, order: Order): Promise<boolean> {
  const isOver = order.status === 'CLOSED';
  const proven = provenConfirms(decision, order);
  for (const { offerId, code } of proven) {
    await settle(orderRef, confirmName(offerId), { offerId, code });
    await addEvent(orderRef, 'Found an offer confirmed', { offerId, code });
  }
  const vain = isOver ? decision.choices.filter((known) => wasInVain(known, proven, order.offers ?? [])) : [];
  for (const { choice } of vain) await settle(orderRef, confirmName(choice.offerId));
  // Nobody reads the order again: what was settled by a step that was interrupted is staged now as well.
  if (isOver || proven.length > 0) await stageChoices(orderRef);
  return proven.length + vain.length > 0;
}

function wasInVain({ choice, confirm }: Decision['choices'][number], proven: Choice[], offers: Offer[]): boolean {
  return confirm === 'intended' && !proven.includes(choice) && isAvailable(offers, choice.offerId);
}
