import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import type { OfferFacts } from '../../console/api.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { OFFERS_AT_ONCE, untilOffers } from '../helpers/offers.ts';
import { openConsole } from '../helpers/open-console.ts';
import { openWorld } from '../helpers/open-world.ts';
import { openFolder } from '../helpers/signer-files.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });
const { post, read } = await openConsole(world);
const folder = openFolder();
const putsDecision = ({ service, operation, path }: AwsRequest) =>
  service === 'S3' && operation === 'PUT' && path.includes('decision.json');

/** Sends a decision as a page does that has shown the offers as they are, and this many decisions. */
async function decideInPage(orderRef: string, choice: unknown, decisions: number): Promise<Response> {
  const offers = await read<OfferFacts[]>(`/api/orders/${orderRef}/offers`);
  return post(`/api/orders/${orderRef}/decision`, { choices: [choice], seen: { decisions, offers } });
}

const decisionLines = async (orderRef: string) =>
  (await world.told(orderRef)).map(({ what }) => String(what)).filter((what) => what.startsWith('A decision'));

test('of two people who decide at the same moment, one decides, and the other is told who decided what', async () => {
  const { choices, order } = await untilOffers(world, 'at-once');
  const [first, second] = choices;
  const both = Promise.withResolvers<void>();
  let uploads = 0;
  world.wrappers.requestWrapper = async (request) => {
    if (!putsDecision(request)) return undefined;
    if (++uploads === 2) both.resolve();
    await both.promise;
    return undefined;
  };
  const decide = (name: string, choice: unknown) => {
    const file = folder.write(`${name}.json`, JSON.stringify({ choices: [choice], decidedBy: name }));
    return loanOrders(['--endpoint', world.aws.endpoint, 'confirm', 'at-once', '--file', file]);
  };
  const outcomes = await Promise.all([decide('Anna', first), decide('Boris', second)]);
  const [winner, loser] = outcomes[0]?.code === 0 ? ['Anna', 1] : ['Boris', 0];
  expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(outcomes[loser as number]?.stderr).toMatch(
    new RegExp(
      `^Somebody decided on order at-once a moment ago: .* That decision takes [^ ]+ \\(.*Decided by: ${winner}\\.`,
    ),
  );
  await world.untilEnd('at-once');
  const taken = winner === 'Anna' ? first : second;
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([taken?.offerId]);
  expect(await decisionLines('at-once')).toEqual(['A decision arrived']);
});

test('a page that has not shown the latest decision does not replace it', async () => {
  const { choices } = await untilOffers(world, 'not-seen');
  const [first, second] = choices;
  expect((await decideInPage('not-seen', first, 0)).status).toBe(200);
  await world.aws.settle();
  const refused = await decideInPage('not-seen', second, 0);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({
    error: expect.stringMatching(/^Somebody decided on order not-seen .*user\/local\. It takes these offers: /),
    difference: { decided: { choices: [first], decidedBy: expect.stringMatching(/user\/local$/) }, offers: [] },
  });
  expect(await world.record('not-seen')).toMatchObject({ decision: { version: 1 } });
  expect(await decisionLines('not-seen')).toEqual(['A decision arrived']);
});

test('repeating an upload whose answer was lost is no second decision', async () => {
  const { choices } = await untilOffers(world, 'lost-answer');
  let isLost = false;
  world.wrappers.requestWrapper = async (request, serve) => {
    if (isLost || !putsDecision(request)) return undefined;
    isLost = true;
    await serve();
    return { status: 503, code: 'SlowDown' };
  };
  const response = await decideInPage('lost-answer', choices[0], 0);
  expect({ status: response.status, isLost }).toEqual({ status: 200, isLost: true });
  await world.aws.settle();
  const again = await decideInPage('lost-answer', choices[0], 0);
  expect(again.status).toBe(200);
  expect(await world.record('lost-answer')).toMatchObject({ decision: { version: 1 } });
});
