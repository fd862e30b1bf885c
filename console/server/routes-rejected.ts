import type { FastifyPluginAsync } from 'fastify';
import { findRejected, visible } from '../../commands/orders/list-rejected.ts';
import type { RejectedLine } from '../../commands/stage/rejected-uploads.ts';
import { isOrderRef } from '../../core/package/intake-key.ts';
import type { RejectedFacts, RejectedRow } from '../api.ts';
import type { Desk } from './desk.ts';
import { goLive } from './live.ts';
import { LiveFacts } from './live-facts.ts';

/** What `list --rejected` lists, as it is and as it changes. `every` is the time between two looks at it, in milliseconds. */
export function rejectedRoutes({ connection, describe }: Desk, every: number): FastifyPluginAsync {
  const facts = async (): Promise<RejectedFacts> => {
    const { shown, older } = await findRejected(connection, { sort: 'changed' });
    return { rejected: shown.map(rowOf), older };
  };
  return async (server) => {
    server.get('/api/rejected/live', async (_request, reply) => {
      const answer = goLive(reply);
      const live = new LiveFacts(facts, answer.send, describe);
      const looking = setInterval(() => live.look(), every);
      answer.onClose(() => clearInterval(looking));
      await live.look();
    });
  };
}

function rowOf(line: RejectedLine): RejectedRow {
  const { key, why, answer, ...others } = line;
  const folder = /^orders\/([^/]+)\//.exec(key)?.[1] ?? '';
  const texts = { key: visible(key), why: visible(why), answer: visible(answer) };
  return { ...others, ...texts, ...(isOrderRef(folder) && { orderRef: folder }) };
}
