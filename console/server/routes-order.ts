import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Desk } from './desk.ts';
import { goLive } from './live.ts';
import { LiveFacts } from './live-facts.ts';
import { executionsOf, orderFacts } from './order-facts.ts';
import { Ways } from './way.ts';
import { workflow } from './workflow.ts';

type OfOrder = FastifyRequest<{ Params: { orderRef: string } }>;

/** The most answers of the service that are shown of an order. */
const MOST_WORDS = 20;

/** One order, as it is and as it changes. `every` is the time between two looks at it, in milliseconds. */
export function oneOrderRoutes(desk: Desk, every: number): FastifyPluginAsync {
  const ways = new Ways(desk.connection.executions);
  return async (server) => {
    server.get('/api/workflow', async () => workflow());
    server.get('/api/orders/:orderRef', async ({ params }: OfOrder) => orderFacts(desk, params.orderRef));
    server.get('/api/orders/:orderRef/live', async ({ params }: OfOrder, reply) => {
      const answer = goLive(reply);
      const live = new LiveFacts(() => orderFacts(desk, params.orderRef), answer.send, desk.describe);
      const looking = setInterval(() => live.look(), every);
      answer.onClose(() => clearInterval(looking));
      await live.look();
    });
    server.get('/api/orders/:orderRef/way', async ({ params }: OfOrder) => {
      const details = await desk.connection.record.details(params.orderRef);
      return ways.of(await executionsOf(desk, details));
    });
    server.get('/api/orders/:orderRef/snapshot', async ({ params }: OfOrder) => {
      return { snapshot: (await desk.buckets.staged(params.orderRef, 'snapshot.json')) ?? null };
    });
    server.get('/api/orders/:orderRef/words', async ({ params }: OfOrder) => words(desk, params.orderRef));
  };
}

/** What the service said of the order: its issues, and its answers to calls that it refused. */
async function words({ buckets }: Desk, orderRef: string) {
  const names = (await buckets.stagedNames(orderRef, 'errors/')).slice(-MOST_WORDS).reverse();
  const [issues, ...answers] = await Promise.all([
    buckets.staged<unknown>(orderRef, 'issues.json'),
    ...names.map((name) => buckets.staged<unknown>(orderRef, name)),
  ]);
  return { issues: issues ?? null, answers: names.map((name, at) => ({ name, answer: answers[at] ?? null })) };
}
