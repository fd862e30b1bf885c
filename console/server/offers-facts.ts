import { membersOf } from '../../commands/offers/offer-table.ts';
import { takeableOffers } from '../../commands/offers/takeable-offers.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import type { OfferFacts, OffersFacts } from '../api.ts';

type Known = Record<string, unknown>;

/** The offers as people compare them. The service may list anything; what is no object is left out. */
export function offersFacts(offers: Offer[] | undefined): OffersFacts {
  if (!Array.isArray(offers)) return { offers: null };
  const takeable = new Set(takeableOffers(offers).map(({ offerId }) => offerId));
  return {
    offers: offers.flatMap((offer: unknown) => (isKnown(offer) ? [offerFacts(offer, takeable)] : [])),
  };
}

function offerFacts({ offerId, status, creditOptions, ...others }: Known, takeable: Set<string>): OfferFacts {
  const options = Array.isArray(creditOptions) ? creditOptions.filter(isKnown) : [];
  return {
    offerId: String(offerId ?? ''),
    status: String(status ?? ''),
    isTakeable: typeof offerId === 'string' && takeable.has(offerId),
    members: membersOf(others),
    options: options.map(({ code, ...terms }) => ({ code: String(code ?? ''), members: membersOf(terms) })),
  };
}

function isKnown(value: unknown): value is Known {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
