import type { Choice } from '../order/kept-decision.ts';
import { confirmName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { settleAsDone, settleAsNotDone } from '../order/order-ledger.ts';
import { markPage } from '../order/order-record.ts';
import { addEvent } from '../order/timeline.ts';
import type { Order } from '../order-service/order-service-client.ts';
import { type Decision, isUnsettled, type KnownChoice } from '../people/decision-states.ts';
import { sendOutbox } from '../people/send-outbox.ts';
import { confirmSettings } from '../settings.ts';
import { hasStatus, isAvailable, isListed } from './choices.ts';
import { anyConfirmed } from './decision.ts';

/** Whether the order has a status after a confirm (specification, endpoint 7). An earlier status may be a stale read. */
export function hasMovedOn({ status }: Order): boolean {
  return status === 'OFFERS_APPROVED' || status === 'CLOSED';
}

/**
 * Returns the choices, as they were sent, whose confirm the order proves. A confirm is proven if one of these is true:
 * - Its offer has the status of a confirmed offer.
 * - The order is OFFERS_APPROVED, and no other confirm can have been done.
 * - The order is OFFERS_APPROVED, no offer has that status, the outcome is `open`, and the offer is no longer AVAILABLE.
 * @param confirmedStatus the status of a confirmed offer. The specification does not show it (docs/assumptions.md).
 */
export function provenConfirms(
  decision: Decision,
  order: Order,
  confirmedStatus = confirmSettings.confirmedStatus,
): Choice[] {
  if (!hasMovedOn(order)) return [];
  const offers = order.offers ?? [];
  const isApproved = order.status === 'OFFERS_APPROVED';
  const unsure = decision.choices.filter((state) => state.unsure);
  const isOnly = isApproved && unsure.length === 1 && !anyConfirmed(decision);
  const isStatusUsed = offers.some((offer) => offer?.status === confirmedStatus);
  const isGone = (offerId: string) => !isStatusUsed && isListed(offers, offerId) && !isAvailable(offers, offerId);
  return unsure.flatMap(({ confirm, unsure: sent }) => {
    if (!sent) return [];
    const { offerId } = sent;
    const isConfirmed = hasStatus(offers, offerId, confirmedStatus);
    return isOnly || isConfirmed || (isApproved && confirm === 'open' && isGone(offerId)) ? [sent] : [];
  });
}

/**
 * Records the outcomes of confirms that a read shows. A confirm was done if the order proves it. It was not done if the order does not
 * prove it and the read is believed, or if the order is CLOSED and the offer is still AVAILABLE.
 */
export async function settleConfirms(
  record: OrderItem,
  decision: Decision,
  { order, isBelieved }: { order: Order; isBelieved: boolean },
): Promise<Decision> {
  const { changed, ...found } = findOut(decision, order, isBelieved);
  if (changed.length === 0) return decision;
  const marked = await markPage(record, 'choices.json');
  for (const choice of changed) await settle(record.orderRef, choice);
  await sendOutbox(marked);
  return found;
}

/** The decision with the outcomes that the order shows, and the choices that this has changed. */
function findOut(decision: Decision, order: Order, isBelieved: boolean): Decision & { changed: KnownChoice[] } {
  const proven = new Map(provenConfirms(decision, order).map((choice) => [choice.offerId, choice]));
  const choices = decision.choices.map((state) => {
    const choice = proven.get(state.choice.offerId);
    if (choice) return { choice: { ...state.choice, ...choice }, confirm: 'done' as const };
    return isNotDone(state, order, isBelieved) ? { choice: state.choice, confirm: 'none' as const } : state;
  });
  return { ...decision, choices, changed: choices.filter((state) => !decision.choices.includes(state)) };
}

function isNotDone(state: KnownChoice, { status, offers }: Order, isBelieved: boolean): boolean {
  if (status !== 'CLOSED') return isBelieved && isUnsettled(state);
  return state.confirm === 'open' && isAvailable(offers ?? [], state.choice.offerId);
}

async function settle(orderRef: string, { choice: { offerId, code }, confirm }: KnownChoice): Promise<void> {
  const name = confirmName(offerId);
  if (confirm !== 'done') return settleAsNotDone(orderRef, name);
  await addEvent(orderRef, 'Found an offer confirmed', { offerId, code });
  await settleAsDone(orderRef, name, { offerId, code });
}
