import { isAvailable } from '../../core/offers/choices.ts';
import type { Decision } from '../../core/order/decision-states.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { Choice } from '../../core/package/kept-decision.ts';
import { membersText, offerView } from './offer-view.ts';
import { plain, some } from './text.ts';

export interface TakeableOffer {
  offerId: string;
  /** Members of the offer itself, in a sentence. */
  facts: string;
  options: { code: string; facts: string }[];
}

/** The most offers, and the most codes of an offer, in one sentence. */
const MOST_NAMED = 20;

/** The offers that are AVAILABLE and have a code. An offer that is listed several times has the codes of each. */
export function takeableOffers(offers: Offer[]): TakeableOffer[] {
  const found = new Map<string, TakeableOffer>();
  for (const offer of offers) {
    if (typeof offer?.offerId !== 'string' || !isAvailable(offers, offer.offerId)) continue;
    const { offerId, members, options } = offerView(offer);
    const earlier = found.get(offerId);
    const named = options
      .filter(({ code }) => code !== '')
      .map(({ code, members: terms }) => ({ code, facts: membersText(terms) }));
    if (!earlier && named.length === 0) continue;
    found.set(offerId, {
      offerId,
      facts: earlier?.facts ?? membersText(members),
      options: [...(earlier?.options ?? []), ...named],
    });
  }
  return [...found.values()];
}

/** The bank's facts about an offer of any status, in a sentence. Empty if it is not listed. */
export function offerFacts(offers: Offer[], offerId: string | undefined): string {
  const offer = offers.find((one) => one?.offerId === offerId);
  return offer ? membersText(offerView(offer).members) : '';
}

/** Everything the bank says about a choice: a line for the offer, and one for its credit option. */
export function termsLines({ offerId, code }: Choice, offers: TakeableOffer[]): string[] {
  const offer = offers.find((one) => one.offerId === offerId);
  const facts = [offer?.facts, offer?.options.find((option) => option.code === code)?.facts];
  return facts.flatMap((line) => (line ? [plain(line)] : []));
}

export function codesOf({ options }: TakeableOffer): string {
  return listed(
    options.map(({ code }) => plain(code)),
    'more code',
  );
}

export function takeableSentence(offers: TakeableOffer[]): string {
  if (offers.length === 0) return 'No offer is AVAILABLE: a decision can only be --none.';
  const named = offers.map((offer) => `${plain(offer.offerId)} (code ${codesOf(offer)})`);
  return `A decision can take ${listed(named, 'more offer')}.`;
}

function listed(names: string[], noun: string): string {
  const more = names.length - MOST_NAMED;
  return [...names.slice(0, MOST_NAMED), ...(more > 0 ? [some(more, noun)] : [])].join(', ');
}

/** Offers that an earlier decision chose and these choices omit. Offers whose confirm was already sent are not counted. */
export function leftOut(earlier: Decision | undefined, choices: Choice[]): string[] {
  const open = (earlier?.choices ?? []).filter(
    ({ choice, confirm }) => !choice.withdrawn && confirm !== 'done' && confirm !== 'open',
  );
  return open
    .map(({ choice }) => choice.offerId)
    .filter((chosen) => !choices.some(({ offerId }) => offerId === chosen));
}
