import type { Offer } from '../functions/shared/order/order-service-client.ts';
import { type Answer, Refusal } from './refusal.ts';
import { type Buckets, openBuckets } from './stage/buckets.ts';
import type { PlaceOptions } from './stage/place.ts';
import { columns } from './text.ts';

/** `offers <orderRef>`: the staged offers, with the `offerId` and the codes that a decision uses. */
export async function offers(place: PlaceOptions, orderRef: string): Promise<Answer> {
  const staged = await stagedOffers(await openBuckets(place), orderRef);
  const rows = staged.map((offer: Partial<Offer> | null) => [
    String(offer?.offerId ?? ''),
    String(offer?.status ?? ''),
    codesOf(offer).join(', '),
  ]);
  return { lines: columns([['OFFER', 'STATUS', 'CODES'], ...rows]), json: staged };
}

/** @throws Refusal when the order has no offers yet. */
export async function stagedOffers(buckets: Buckets, orderRef: string): Promise<Offer[]> {
  const staged = await buckets.staged<Offer[]>(orderRef, 'offers.json');
  if (staged) return staged;
  throw new Refusal(
    `Order ${orderRef} has no offers in staging: either the order does not exist, or no bank has answered yet.`,
  );
}

/** The codes of an offer's credit options. Malformed options are ignored, since the service may list anything. */
function codesOf(offer: Partial<Offer> | null): string[] {
  const options: unknown[] = Array.isArray(offer?.creditOptions) ? offer.creditOptions : [];
  return options.flatMap((option) => {
    const code = (option as { code?: unknown } | null)?.code;
    return typeof code === 'string' ? [code] : [];
  });
}
