import { type Decision, isUnsettled, type KnownChoice } from '../order/decision-states.ts';
import type { Order } from '../order-service/order-service-client.ts';
import type { Choice } from '../package/kept-decision.ts';
import { hasStatus, isAvailable, isListed } from './choices.ts';
import { anyConfirmed } from './decision.ts';

/** Whether the order has a status after a confirm (specification, endpoint 7). An earlier status may be a stale read. */
export const hasMovedOn = ({ status }: Pick<Order, 'status'>): boolean =>
  status === 'OFFERS_APPROVED' || status === 'CLOSED';

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
 * proves it. It was not done if the read is believed and the order is still OFFERS_AVAILABLE. Later, an AVAILABLE offer proves this only if
 * another chosen offer has a different status. Otherwise only the bank knows.
 */
export function withProven(
  decision: Decision,
  order: Order,
  rules: { isBelieved: boolean; confirmedStatus: string },
): { decision: Decision; changed: KnownChoice[] } {
  const proven = new Map(
    provenConfirms(decision, order, rules.confirmedStatus).map((choice) => [choice.offerId, choice]),
  );
  const choices = decision.choices.map((state): KnownChoice => {
    const choice = proven.get(state.choice.offerId);
    if (state.isSaid) return { choice: state.choice, confirm: state.confirm };
    if (choice) return { choice: { ...state.choice, ...choice }, confirm: 'done' };
    if (!isUnsettled(state) || !isNotDone(state, decision, order, rules)) return state;
    const { choice: chosen, refused } = state;
    return { choice: chosen, confirm: 'none', ...(refused && { refused }) };
  });
  return { decision: { ...decision, choices }, changed: choices.filter((state) => !decision.choices.includes(state)) };
}

function isNotDone(
  { choice: { offerId } }: KnownChoice,
  { choices }: Decision,
  { status, offers = [] }: Order,
  { isBelieved, confirmedStatus }: { isBelieved: boolean; confirmedStatus: string },
): boolean {
  if (status === 'OFFERS_AVAILABLE') return isBelieved && !hasStatus(offers, offerId, confirmedStatus);
  const isShown = ({ choice }: KnownChoice) => isListed(offers, choice.offerId) && !isAvailable(offers, choice.offerId);
  const tells = choices.some(isShown) || offers.some((offer) => offer?.status === confirmedStatus);
  return tells && isAvailable(offers, offerId) && (isBelieved || status === 'CLOSED');
}
