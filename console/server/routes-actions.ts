import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { abort } from '../../commands/abort.ts';
import { decide } from '../../commands/offers/confirm.ts';
import { isObject, offerView } from '../../commands/offers/offer-view.ts';
import { takeableOffers } from '../../commands/offers/takeable-offers.ts';
import { doEach, type ManyCommand } from '../../commands/orders/many-orders.ts';
import { resolve } from '../../commands/resolve.ts';
import { retry } from '../../commands/retry.ts';
import { place as placeOf } from '../../commands/stage/place.ts';
import type { GivenDecision } from '../../core/order/decision-schema.ts';
import type { Offer } from '../../core/order-service/order-service-client.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import type { OffersFacts } from '../api.ts';
import type { Desk } from './desk.ts';

type OfOrder = FastifyRequest<{ Params: { orderRef: string } }>;

/** Orders that are begun in a second, as the command line does it. */
const PACE = 10;
/** The most orders of one request. The page asks again for more, so that a person can stop. */
const MOST_AT_ONCE = 20;

/** `seen` is how many decisions the page showed. The rest is the decision, which `decide` checks. */
const decision = z.looseObject({ seen: z.int().nonnegative() });
const resolution = z.strictObject({ orderId: z.string().trim().min(1).nullable() });
const several = z.strictObject({ orderRefs: z.array(z.string().refine(isOrderRef)).min(1).max(MOST_AT_ONCE) });

const RETRY: ManyCommand = { verb: 'retry', done: 'started', candidates: [], one: retry };

/** What people do to orders. Each is the command of the same name. */
export function actionRoutes({ connection, buckets, place }: Desk): FastifyPluginAsync {
  return async (server) => {
    server.post('/api/orders/:orderRef/retry', async ({ params }: OfOrder) =>
      said(await retry(connection, params.orderRef)),
    );
    server.post('/api/orders/:orderRef/abort', async ({ params }: OfOrder) =>
      said(await abort(connection, params.orderRef)),
    );
    server.post('/api/orders/:orderRef/resolve', async ({ params, body }: OfOrder) => {
      const { orderId } = resolution.parse(body);
      return said(await resolve(connection, params.orderRef, orderId ?? undefined));
    });
    server.post('/api/retry', async ({ body }) => ({
      outcomes: await doEach(RETRY, connection, placeOf(place), several.parse(body).orderRefs, PACE),
    }));
    server.get('/api/orders/:orderRef/offers', async ({ params }: OfOrder): Promise<OffersFacts> => {
      return offersFacts(await buckets.staged<Offer[]>(params.orderRef, 'offers.json'));
    });
    server.post('/api/orders/:orderRef/decision', async ({ params, body }: OfOrder) => {
      const { seen, ...given } = decision.parse(body);
      return said(await decide(connection, buckets, params.orderRef, given as unknown as GivenDecision, seen));
    });
  };
}

/** What the command would print. */
function said({ lines }: { lines: string[] }) {
  return { said: lines.join(' ') };
}

/** The offers as people compare them. The service may list anything; what is no object is left out. */
function offersFacts(offers: Offer[] | undefined): OffersFacts {
  if (!Array.isArray(offers)) return { offers: null };
  const takeable = new Set(takeableOffers(offers).map(({ offerId }) => offerId));
  const views = offers.filter(isObject).map(offerView);
  return { offers: views.map((offer) => ({ ...offer, isTakeable: takeable.has(offer.offerId) })) };
}
