import { fittingKey } from '../core/aws/object-key.ts';
import type { Offer } from '../core/order-service/order-service-client.ts';
import type { Decided } from '../core/package/kept-decision.ts';
import { offerTable } from './offers/offer-table.ts';
import { type Buckets, openBuckets } from './shared/buckets.ts';
import { decidedSentence } from './shared/decided.ts';
import type { PlaceOptions } from './shared/place.ts';
import { type Answer, Refusal } from './shared/text.ts';

/** `offers <orderRef>`: the staged offers, with the `offerId` and the codes that a decision uses, and all else that they hold; and who decided. */
export async function offers(place: PlaceOptions, orderRef: string, { wide }: { wide?: true } = {}): Promise<Answer> {
  const buckets = await openBuckets(place);
  const { value: staged } = await stagedOffers(buckets, orderRef);
  const { decided } = (await buckets.staged<{ decided?: Decided }>(orderRef, 'choices.json')) ?? {};
  const table = offerTable(staged, wide ? undefined : process.stdout.columns);
  return { lines: [...table, ...(decided ? ['', decidedSentence(decided)] : [])], json: staged };
}

/** @throws Refusal when the order has no offers yet. */
export async function stagedOffers(buckets: Buckets, orderRef: string) {
  const staged = await findOffers(buckets, orderRef);
  if (staged) return staged;
  throw new Refusal(
    `Order ${orderRef} has no offers in staging: either the order does not exist, or no bank has answered yet.`,
  );
}

/** The staged offers, as they are or in an older version; undefined if they are gone. */
export const findOffers = (buckets: Buckets, orderRef: string, version?: string) =>
  buckets.stagedVersion<Offer[]>(fittingKey(`orders/${orderRef}/offers.json`), version);
