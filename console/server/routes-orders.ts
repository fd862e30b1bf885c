import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { place as placeOf } from '../../commands/stage/place.ts';
import { isPaused } from '../../core/order/stage-pause.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import { latest } from '../../core/time.ts';
import type { NextReads, StageFacts } from '../api.ts';
import type { Desk } from './desk.ts';
import { goLive } from './live.ts';

/** The most rows that a window shows. */
const MOST_ROWS = 100;
const rows = z.strictObject({ orderRefs: z.array(z.string().refine(isOrderRef)).max(MOST_ROWS) });

/** The stage, and the table of orders. */
export function orderRoutes({ place, connection, feed }: Desk): FastifyPluginAsync {
  return async (server) => {
    server.get('/api/stage', async (): Promise<StageFacts> => {
      const pause = await connection.pauses.find();
      return {
        stage: place.stage,
        where: placeOf(place),
        local: place.local === true,
        ...(isPaused(pause) && { pause: { since: pause.since, by: pause.by, reason: pause.reason } }),
      };
    });
    server.post('/api/next-reads', async ({ body }): Promise<NextReads> => {
      const { orderRefs } = rows.parse(body);
      const found = await connection.record.nextReads(orderRefs);
      const dated = found.map(({ orderRef, nextReadAt, throttledUntil }) => [
        orderRef,
        latest(nextReadAt, throttledUntil) ?? null,
      ]);
      return Object.fromEntries(dated);
    });
    server.get('/api/orders/live', async (_request, reply) => {
      const answer = goLive(reply);
      const close = await feed.open(answer.send);
      answer.onClose(close);
    });
  };
}
