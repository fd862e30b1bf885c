import type { Offer } from '../functions/shared/order/order-service-client.ts';
import { type Answer, Refusal } from './refusal.ts';
import { type Buckets, openBuckets } from './stage/buckets.ts';
import type { PlaceOptions } from './stage/place.ts';
import { columns } from './text.ts';

/** `offers <orderRef>`: the offers as they are staged, with what a decision names them by. */
export async function offers(place: PlaceOptions, orderRef: string): Promise<Answer> {
  const staged = await stagedOffers(await openBuckets(place), orderRef);
  const rows = staged.map((offer: Partial<Offer> | null) => [
    String(offer?.offerId ?? ''),
    String(offer?.status ?? ''),
    codesOf(offer).join(', '),
  ]);
  return { lines: columns([['OFFER', 'STATUS', 'CODES'], ...rows]), json: staged };
}

/** @throws Refusal when the order has none yet. */
export async function stagedOffers(buckets: Buckets, orderRef: string): Promise<Offer[]> {
  const staged = await buckets.staged<Offer[]>(orderRef, 'offers.json');
  if (staged) return staged;
  throw new Refusal(
    `Order ${orderRef} has no offers in staging: either there is no such order, or no bank has answered.`,
  );
}

/** The service may list anything: what is no option has no code. */
function codesOf(offer: Partial<Offer> | null): string[] {
  const options: unknown[] = Array.isArray(offer?.creditOptions) ? offer.creditOptions : [];
  return options.flatMap((option) => {
    const code = (option as { code?: unknown } | null)?.code;
    return typeof code === 'string' ? [code] : [];
  });
}
