import type { FastifyPluginAsync } from 'fastify';
import { place as placeOf } from '../../commands/stage/place.ts';
import { isPaused } from '../../functions/shared/order/stage-pause.ts';
import type { StageFacts } from '../api.ts';
import type { Desk } from './desk.ts';
import { goLive } from './live.ts';

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
    server.get('/api/orders/live', async (_request, reply) => {
      const answer = goLive(reply);
      const close = await feed.open(answer.send);
      answer.onClose(close);
    });
  };
}
