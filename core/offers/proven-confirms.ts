import type { Order } from '../order-service/order-service-client.ts';
import type { Choice } from '../package/kept-decision.ts';
import { type Decision, isUnsettled, type KnownChoice } from '../people/decision-states.ts';
import { hasStatus, isAvailable, isListed } from './choices.ts';
import { anyConfirmed } from './decision.ts';

/** Whether the order has a status after a confirm (specification, endpoint 7). An earlier status may be a stale read. */
export function hasMovedOn({ status }: Pick<Order, 'status'>): boolean {
  return status === 'OFFERS_APPROVED' || status === 'CLOSED';
}

/**
 * Returns the choices, as they were sent, whose confirm the order proves. A confirm is proven if one of these is true:
 * - Its offer has the status of a confirmed offer.
 * - The order is OFFERS_APPROVED, and no other confirm can have been done.
 * - The order is OFFERS_APPROVED, no offer has that status, the outcome is `open`, and the offer is no longer AVAILABLE.
 * @param confirmedStatus the status of a confirmed offer. The specification does not show it (docs/assumptions.md).
 */
export function provenConfirms(decision: Decision, order: Order, confirmedStatus: string): Choice[] {
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
 * The decision with the outcomes of confirms that a read shows, and the choices that this has changed. A confirm was done if the order
 * proves it. It was not done if the order does not prove it and the read is believed, or if the order is CLOSED and the offer is still
 * AVAILABLE.
 */
export function withProven(
  decision: Decision,
  order: Order,
  { isBelieved, confirmedStatus }: { isBelieved: boolean; confirmedStatus: string },
): { decision: Decision; changed: KnownChoice[] } {
  const proven = new Map(provenConfirms(decision, order, confirmedStatus).map((choice) => [choice.offerId, choice]));
  const choices = decision.choices.map((state): KnownChoice => {
    const choice = proven.get(state.choice.offerId);
    if (choice) return { choice: { ...state.choice, ...choice }, confirm: 'done' };
    return isNotDone(state, order, isBelieved) ? { choice: state.choice, confirm: 'none' } : state;
  });
  return { decision: { ...decision, choices }, changed: choices.filter((state) => !decision.choices.includes(state)) };
}

function isNotDone(state: KnownChoice, { status, offers }: Order, isBelieved: boolean): boolean {
  if (status !== 'CLOSED') return isBelieved && isUnsettled(state);
  return state.confirm === 'open' && isAvailable(offers ?? [], state.choice.offerId);
}
