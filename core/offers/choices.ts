import type { Problem } from '../json/json-problems.ts';
import { inWords, type OwnCode } from '../messages/english.ts';
import type { Decision } from '../order/decision-states.ts';
import type { Offer } from '../order-service/order-service-client.ts';
import type { Choice } from '../package/kept-decision.ts';

/** The specification, 2.2. Malformed elements of the list are ignored. */
export const isAvailable = (offers: readonly Offer[], offerId: string): boolean =>
  hasStatus(offers, offerId, 'AVAILABLE');

/** Whether the offer has this status. If it is listed several times, each must have it. */
export function hasStatus(offers: readonly Offer[], offerId: string, wanted: string): boolean {
  const named = offersNamed(offers, offerId);
  return named.length > 0 && named.every(({ status }) => status === wanted);
}

export const isListed = (offers: readonly Offer[], offerId: string): boolean => offersNamed(offers, offerId).length > 0;

function hasCode(offers: readonly Offer[], { offerId, code }: Choice): boolean {
  const options: unknown[] = offersNamed(offers, offerId).flatMap(({ creditOptions }) => creditOptions ?? []);
  return options.some((option) => (option as { code?: unknown } | null)?.code === code);
}

/** The elements with this `offerId`. The service may list elements that are not objects. */
const offersNamed = (offers: readonly (Offer | null)[], offerId: string): Offer[] =>
  offers.filter((offer): offer is Offer => offer?.offerId === offerId);

/** Why choices cannot be confirmed. Empty if all can be confirmed or are confirmed already. */
export const choiceProblems = (choices: Choice[], offers: Offer[], decision?: Decision): Problem[] =>
  choices.flatMap((choice, position) => {
    const isRepeated = choices.findIndex(({ offerId }) => offerId === choice.offerId) < position;
    const code = isRepeated ? (['offerTwice'] as OwnCode) : problemOf(choice, offers, decision);
    if (!code) return [];
    const member = ['offerConfirmed', 'noOption'].includes(code[0]) ? 'code' : 'offerId';
    return [{ path: `$.choices[${position}].${member}`, ...inWords(...code) }];
  });

function problemOf(wanted: Choice, offers: Offer[], decision: Decision | undefined): OwnCode | undefined {
  const { offerId } = wanted;
  const done = decision?.choices.find(({ choice, confirm }) => confirm === 'done' && choice.offerId === offerId);
  if (done) {
    // A later decision cannot change the credit option of a confirmed offer.
    const { code } = done.choice;
    return code === wanted.code ? undefined : ['offerConfirmed', { code }];
  }
  if (!isListed(offers, offerId)) return ['noOffer'];
  if (!isAvailable(offers, offerId)) return ['offerNotAvailable'];
  return hasCode(offers, wanted) ? undefined : ['noOption'];
}
