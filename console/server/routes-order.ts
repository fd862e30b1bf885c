import { stripVTControlCharacters } from 'node:util';
import type { FastifyInstance } from 'fastify';
import { findOffers } from '../../commands/offers.ts';
import type { Execution } from '../../commands/shared/executions.ts';
import type { Advice } from '../../commands/shared/failure-advice.ts';
import { namedOffers, namedPaths, unitsOf } from '../../commands/shared/offer-terms.ts';
import type { OrderDetails } from '../../commands/shared/order-details.ts';
import { executionPage, logPage } from '../../commands/shared/pages.ts';
import { pauseFacts, pauseInForce } from '../../commands/shared/pause.ts';
import { inPlace } from '../../commands/shared/place.ts';
import { orDenied } from '../../commands/shared/service-words.ts';
import { adviceLines, orderView, timelineView } from '../../commands/shared/views.ts';
import { show } from '../../commands/show.ts';
import type { OrderFacts, ShownOffers, TechnicalFacts } from '../api.ts';
import type { Asked, ConsoleContext } from './context.ts';

const EARLIER = 9;

export function oneOrderRoutes(server: FastifyInstance, desk: ConsoleContext): void {
  const { buckets } = desk;
  const order = '/api/orders/:orderRef';
  server.get(order, async ({ params }: Asked) => orderFacts(desk, params.orderRef));
  server.get(`${order}/show`, async ({ params }: Asked): Promise<TechnicalFacts> => {
    const { lines } = await show(desk.connection, params.orderRef, {});
    const snapshot = (await orDenied(() => buckets.staged(params.orderRef, 'snapshot.json'))) ?? null;
    return { text: stripVTControlCharacters(lines.join('\n')), snapshot };
  });
  /** What validation found, and a reference for a corrected order. */
  server.get(`${order}/issues`, async ({ params }: Asked) => {
    const issues = (await buckets.staged<unknown>(params.orderRef, 'issues.json')) ?? null;
    return { issues, free: await desk.connection.record.freeReference(params.orderRef) };
  });
  server.get(`${order}/offers`, async ({ params }: Asked) => offersFacts(desk, params.orderRef));
}

/** Everything that the console shows about an order. Throws a Refusal when there is no such order. */
async function orderFacts(desk: ConsoleContext, orderRef: string): Promise<OrderFacts> {
  const { record, outputs } = desk.connection;
  const details = await record.details(orderRef);
  const [executions, pause] = await Promise.all([executionsOf(desk, details), pauseInForce(record.table, outputs)]);
  const here = (advice: Advice | undefined) =>
    advice && { ...advice, step: inPlace(advice.step, desk.options), command: inPlace(advice.command, desk.options) };
  const view = orderView(details, executions);
  return {
    ...view,
    advice: here(view.advice),
    russianAdvice: here(adviceLines(details, executions, 'ru')),
    ...pauseFacts(details.order, pause),
    log: logPage(desk.connection, details.order),
    executions: executions.map(({ arn, ...execution }) => ({
      ...execution,
      address: executionPage(desk.connection, arn),
    })),
    timeline: details.timeline.map((entry) => timelineView(details, entry)),
  };
}

async function executionsOf({ connection }: ConsoleContext, { order }: OrderDetails): Promise<Execution[]> {
  const { generation } = order;
  const first = Math.max(1, generation - EARLIER);
  const found = await connection.executions.since(order, first);
  // Step Functions deletes an execution 90 days after its end, and the search stops if two in a row are missing.
  return found.length > 0 || first === generation ? found : connection.executions.since(order);
}

async function offersFacts({ buckets, connection }: ConsoleContext, orderRef: string): Promise<ShownOffers> {
  const staged = await findOffers(buckets, orderRef);
  const { offerLabels = {} } = connection.settings();
  const offers = Array.isArray(staged?.value) ? namedOffers(staged.value, offerLabels) : [];
  return { version: staged?.version ?? '', offers, names: namedPaths(offerLabels), units: unitsOf(offerLabels) };
}
