import type { Offer } from '../../functions/shared/order/order-service-client.ts';
import { type Answer, Refusal } from '../refusal.ts';
import { type Buckets, openBuckets } from '../stage/buckets.ts';
import type { PlaceOptions } from '../stage/place.ts';
import { offerTable } from './offer-table.ts';

/** `offers <orderRef>`: the staged offers, with the `offerId` and the codes that a decision uses, and all else that they hold. */
export async function offers(place: PlaceOptions, orderRef: string, { wide }: { wide?: true } = {}): Promise<Answer> {
  const staged = await stagedOffers(await openBuckets(place), orderRef);
  return { lines: offerTable(staged, wide ? undefined : process.stdout.columns), json: staged };
}

/** @throws Refusal when the order has no offers yet. */
export async function stagedOffers(buckets: Buckets, orderRef: string): Promise<Offer[]> {
  const staged = await buckets.staged<Offer[]>(orderRef, 'offers.json');
  if (staged) return staged;
  throw new Refusal(
    `Order ${orderRef} has no offers in staging: either the order does not exist, or no bank has answered yet.`,
  );
}
