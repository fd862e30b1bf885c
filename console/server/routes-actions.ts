import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { abort } from '../../commands/abort.ts';
import { decideOffers } from '../../commands/confirm/decide.ts';
import { dismiss } from '../../commands/dismiss.ts';
import { pause } from '../../commands/pause.ts';
import { resolve } from '../../commands/resolve.ts';
import { resume } from '../../commands/resume.ts';
import { retry } from '../../commands/retry.ts';
import { MOST_CHARACTERS_OF_REASON } from '../../commands/shared/arguments.ts';
import { inPlace } from '../../commands/shared/place.ts';
import { plain } from '../../commands/shared/text.ts';
import type { GivenDecision } from '../../core/package/decision-schema.ts';
import type { Done } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';

/** `seen` is the version that the page showed. The rest is the decision, which `decide` checks. */
const decision = z.looseObject({
  seen: z.strictObject({ decisions: z.int().nonnegative(), offers: z.string().min(1) }),
});
const resolution = z.strictObject({ orderId: z.string().trim().min(1).nullable() });
const because = z.strictObject({
  reason: z.string().transform(plain).pipe(z.string().min(1).max(MOST_CHARACTERS_OF_REASON)),
});

/** Actions on orders, and on the stage. Each runs the command of the same name and returns the command's output. */
export function actionRoutes(server: FastifyInstance, { connection, buckets, options, feed }: ConsoleContext): void {
  const route = (path: string, work: (orderRef: string, body: unknown) => Promise<{ lines: string[] }>) =>
    server.post(`/api/${path}`, async ({ params, body }: Asked): Promise<Done> => {
      const { lines } = await work(params.orderRef, body);
      return { said: inPlace(lines.join(' '), options) };
    });
  const action = (name: string, work: Parameters<typeof route>[1]) => route(`orders/:orderRef/${name}`, work);
  const undated = () => feed.readAgain();
  route('pause', async (_none, body) => pause(connection, because.parse(body)));
  route('resume', () => resume(connection));
  action('dismiss', async (orderRef, body) => dismiss(connection, [orderRef], because.parse(body)).finally(undated));
  action('retry', (orderRef) => retry(connection, orderRef));
  action('abort', (orderRef) => abort(connection, orderRef));
  action('resolve', async (orderRef, body) =>
    resolve(connection, orderRef, resolution.parse(body).orderId ?? undefined).finally(undated),
  );
  action('decision', async (orderRef, body) => {
    const { seen, ...given } = decision.parse(body);
    return decideOffers(connection, buckets, orderRef, given as unknown as GivenDecision, seen);
  });
}
