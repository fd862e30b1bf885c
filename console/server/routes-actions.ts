import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { abort } from '../../commands/abort.ts';
import { decideOffers } from '../../commands/confirm/decide.ts';
import { resolve } from '../../commands/resolve.ts';
import { retry } from '../../commands/retry.ts';
import { inPlace } from '../../commands/shared/place.ts';
import type { GivenDecision } from '../../core/package/decision-schema.ts';
import type { Done } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';

/** `seen` is the version that the page showed. The rest is the decision, which `decide` checks. */
const decision = z.looseObject({
  seen: z.strictObject({ decisions: z.int().nonnegative(), offers: z.string().min(1) }),
});
const resolution = z.strictObject({ orderId: z.string().trim().min(1).nullable() });

/** Actions on orders. Each runs the command of the same name and returns the command's output. */
export function actionRoutes(server: FastifyInstance, { connection, buckets, options }: ConsoleContext): void {
  const action = (name: string, work: (orderRef: string, body: unknown) => Promise<{ lines: string[] }>) =>
    server.post(`/api/orders/:orderRef/${name}`, async ({ params, body }: Asked): Promise<Done> => {
      const { lines } = await work(params.orderRef, body);
      return { said: inPlace(lines.join(' '), options) };
    });
  action('retry', (orderRef) => retry(connection, orderRef));
  action('abort', (orderRef) => abort(connection, orderRef));
  action('resolve', async (orderRef, body) =>
    resolve(connection, orderRef, resolution.parse(body).orderId ?? undefined),
  );
  action('decision', async (orderRef, body) => {
    const { seen, ...given } = decision.parse(body);
    return decideOffers(connection, buckets, orderRef, given as unknown as GivenDecision, seen);
  });
}
