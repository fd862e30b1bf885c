import { environment } from '../environment.ts';
import { type Choice, type Decision, hasStatus, isAvailable, isListed, isUnsettled } from '../order/choices.ts';
import { confirmName } from '../order/operation-names.ts';
import type { OrderItem } from '../order/order-item.ts';
import { settleAsDone, settleAsNotDone } from '../order/order-ledger.ts';
import { loadOrder } from '../order/order-record.ts';
import type { Order } from '../order/order-service-client.ts';
import { addEvent } from '../order/timeline.ts';
import { anyConfirmed, findDecision } from './decision.ts';
import { pageOf, stageChoices, stagePage } from './decision-file.ts';

type Known = Decision['choices'][number];

/** Whether the order is where a confirm brings it (specification, endpoint 7). A status from before may be that of a stale read. */
export function hasMovedOn({ status }: Order): boolean {
  return status === 'OFFERS_APPROVED' || status === 'CLOSED';
}

/**
 * The choices of which the order proves that their confirm came through, as they were sent. While it has not moved on none did.
 * - An offer with the status of a confirmed one proves it.
 * - OFFERS_APPROVED proves the only one that may have.
 * - While OFFERS_APPROVED holds, and no offer has that status, which may then be another word, an open confirm came through where its
 *   offer is AVAILABLE no longer. A 429 or 503 said that nothing was done: there the bank may as well have withdrawn the offer, as it may
 *   have done of any once it has CLOSED the order.
 * @param confirmedStatus the status of an offer that is confirmed (not shown: a setting, see docs/assumptions.md).
 */
export function provenConfirms(
  decision: Decision,
  order: Order,
  confirmedStatus = environment('CONFIRMED_OFFER_STATUS'),
): Choice[] {
  if (!hasMovedOn(order)) return [];
  const offers = order.offers ?? [];
  const isApproved = order.status === 'OFFERS_APPROVED';
  const unsure = decision.choices.filter((known) => known.unsure);
  const isOnly = isApproved && unsure.length === 1 && !anyConfirmed(decision);
  const isWordKnown = offers.some((offer) => offer?.status === confirmedStatus);
  const isGone = (offerId: string) => !isWordKnown && isListed(offers, offerId) && !isAvailable(offers, offerId);
  return unsure.flatMap(({ confirm, unsure: sent }) => {
    if (!sent) return [];
    const { offerId } = sent;
    const isTold = hasStatus(offers, offerId, confirmedStatus);
    return isOnly || isTold || (isApproved && confirm === 'open' && isGone(offerId)) ? [sent] : [];
  });
}

/**
 * Stages and records what a read tells of confirms whose outcome is unknown. Where the order proves nothing of one, and it is believed that
 * nothing has changed, the confirm was not done. Once the order is CLOSED an offer that is still AVAILABLE was not confirmed, and never
 * will be. Staged first: a step that is interrupted before it has recorded all says the same once more.
 * @param isBelieved whether a status that was read before is believed (`believed.ts`).
 * @returns the decision with what was found out.
 */
export async function settleConfirms(
  { orderRef, generation }: OrderItem,
  decision: Decision,
  { order, isBelieved }: { order: Order; isBelieved: boolean },
): Promise<Decision> {
  if (findOut(decision, order, isBelieved).changed.length === 0) return decision;
  // The record was read before the service was called: another decision may have come since, and the page must not go back.
  const now = await loadOrder(orderRef, generation);
  const { changed, ...found } = findOut((await findDecision(now)) ?? decision, order, isBelieved);
  await stagePage(orderRef, pageOf(now, found));
  for (const known of changed) await record(orderRef, known);
  await stageChoices(orderRef);
  return found;
}

/** The decision with what the order proves, and the choices of which it proves something. */
function findOut(decision: Decision, order: Order, isBelieved: boolean): Decision & { changed: Known[] } {
  const proven = new Map(provenConfirms(decision, order).map((choice) => [choice.offerId, choice]));
  const choices = decision.choices.map((known) => {
    const choice = proven.get(known.choice.offerId);
    if (choice) return { choice: { ...known.choice, ...choice }, confirm: 'done' as const };
    return isUndone(known, order, isBelieved) ? { choice: known.choice, confirm: 'none' as const } : known;
  });
  return { ...decision, choices, changed: choices.filter((known) => !decision.choices.includes(known)) };
}

function isUndone(known: Known, { status, offers }: Order, isBelieved: boolean): boolean {
  if (status !== 'CLOSED') return isBelieved && isUnsettled(known);
  return known.confirm === 'open' && isAvailable(offers ?? [], known.choice.offerId);
}

async function record(orderRef: string, { choice: { offerId, code }, confirm }: Known): Promise<void> {
  const name = confirmName(offerId);
  if (confirm !== 'done') return settleAsNotDone(orderRef, name);
  await addEvent(orderRef, 'Found an offer confirmed', { offerId, code });
  await settleAsDone(orderRef, name, { offerId, code });
}
