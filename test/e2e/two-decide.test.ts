import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test } from 'vitest';
import type { ShownOffers } from '../../console/api.ts';
import { loanOrders } from '../helpers/command-line.ts';
import { answer, confirming, removeFaults } from '../helpers/faults.ts';
import { changeRate, untilOffers } from '../helpers/offers.ts';
import { openConsole } from '../helpers/open-console.ts';
import { OFFERS_AT_ONCE, openWorld } from '../helpers/open-world.ts';
import { openFolder } from '../helpers/signer-files.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });
const { post, read } = await openConsole(world);
const folder = openFolder();
const putsDecision = ({ service, operation, path }: AwsRequest) =>
  service === 'S3' && operation === 'PUT' && path.includes('decision.json');

async function decideInPage(orderRef: string, choice: unknown, decisions: number): Promise<Response> {
  return decideSeen(orderRef, choice, { decisions, offers: await versionShown(orderRef) });
}

const decideSeen = (orderRef: string, choice: unknown, seen: object) =>
  post(`/api/orders/${orderRef}/decision`, { choices: [choice], seen });

const versionShown = async (orderRef: string) => (await read<ShownOffers>(`/api/orders/${orderRef}/offers`)).version;

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

test('repeating an upload whose answer was lost is no second decision, and a page that has not shown it does not replace it', async () => {
  const { choices } = await untilOffers(world, 'lost-answer');
  const [first, second] = choices;
  let isLost = false;
  world.wrappers.requestWrapper = async (request, serve) => {
    if (isLost || !putsDecision(request)) return undefined;
    isLost = true;
    await serve();
    return { status: 503, code: 'SlowDown' };
  };
  const response = await decideInPage('lost-answer', first, 0);
  expect({ status: response.status, isLost }).toEqual({ status: 200, isLost: true });
  await world.aws.settle();
  const again = await decideInPage('lost-answer', first, 0);
  expect(again.status).toBe(200);
  const refused = await decideInPage('lost-answer', second, 0);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toEqual({
    error: expect.stringMatching(/^Somebody decided on order lost-answer .*user\/local\. It takes these offers: /),
    difference: { decided: { choices: [first], decidedBy: expect.stringMatching(/user\/local$/) }, offers: [] },
  });
  expect(await world.record('lost-answer')).toMatchObject({ decision: { version: 1 } });
  expect(await decisionLines('lost-answer')).toEqual(['A decision arrived']);
});

test('a decision that closed the order, and whose answer was lost, is not said to be too late', async () => {
  const { choices } = await untilOffers(world, 'closed');
  const [first, second] = choices;
  const seen = { decisions: 0, offers: await versionShown('closed') };
  expect((await decideSeen('closed', first, seen)).status).toBe(200);
  await world.untilEnd('closed');
  const again = await decideSeen('closed', first, seen);
  expect({ status: again.status, ...((await again.json()) as object) }).toEqual({
    status: 200,
    said: expect.stringMatching(/^Order closed has this very decision already: .* confirmed\.$/),
  });
  for (const [choice, decisions] of [
    [second, 0],
    [first, 1],
  ] as const)
    expect((await decideSeen('closed', choice, { ...seen, decisions })).status).toBe(409);
});

test('the decision that a bank refused is not said to be made again when its offer has changed', async () => {
  const { choices } = await untilOffers(world, 'refused');
  world.simulator.hooks.before = async (call, request, reply) => {
    if (confirming(call)) await answer(422, {})(call, request, reply);
  };
  expect((await decideInPage('refused', choices[0], 0)).status).toBe(200);
  await world.until('refused', ({ waitingFor, decision }) => waitingFor === 'decision' && decision.version === 1);
  removeFaults(world.simulator);
  const seen = { decisions: 1, offers: await versionShown('refused') };
  const offers = await world.stagedJson<object[]>('refused', 'offers.json');
  await world.stage('refused', 'offers.json', JSON.stringify(offers).replace('19.5', '21.5'));
  const refused = await decideSeen('refused', choices[0], seen);
  expect({ status: refused.status, ...((await refused.json()) as object) }).toMatchObject({
    status: 409,
    difference: { offers: [{ what: 'changed', changed: [{ path: 'rate', before: 19.5, after: 21.5 }] }] },
  });
});

test('a rejected decision with the same words is not taken for the lost one', async () => {
  const { order, choices } = await untilOffers(world, 'rejected');
  const seen = { decisions: 0, offers: await versionShown('rejected') };
  const [offer] = order.offers;
  const decidedBy = 'arn:aws:iam::000000000000:user/local';
  const text = `${JSON.stringify({ choices: [choices[0]], decidedBy }, undefined, 2)}\n`;
  if (offer) offer.status = 'EXPIRED';
  await changeRate(world, 'rejected', order, 21.5);
  await world.putAndSettle('rejected', 'decision.json', text);
  expect(await world.stagedKeys('rejected')).toContain('decision-rejected.json');
  expect((await decideSeen('rejected', choices[0], seen)).status).toBe(409);
});

test('a change of an offer that is not chosen does not stop a decision, and a new offer stops it once', async () => {
  const { order, choices } = await untilOffers(world, 'others');
  const first = { decisions: 0, offers: await versionShown('others') };
  const [offer] = order.offers;
  if (offer) order.offers.push({ ...offer, offerId: 'later', bankName: 'Later Bank' });
  await changeRate(world, 'others', order, 21.5);
  const refused = await decideSeen('others', choices[1], first);
  expect(refused.status).toBe(409);
  expect((await refused.json()) as object).toMatchObject({
    difference: { offers: [{ what: 'changed' }, { what: 'new', offer: { offerId: 'later' } }] },
  });
  const second = { decisions: 0, offers: await versionShown('others') };
  await changeRate(world, 'others', order, 22.5);
  expect((await decideSeen('others', choices[1], second)).status).toBe(200);
});

test('offers of any size and with any members can be decided on', async () => {
  const { choices } = await untilOffers(world, 'large');
  const [first, ...others] = await world.stagedJson<object[]>('large', 'offers.json');
  const odd = `{"__proto__": 1, "debt": -0.0, "most": 1e400, "text": "${'a'.repeat(3 << 20)}",`;
  const Body = JSON.stringify([first, ...others]).replace('{', odd);
  await world.stage('large', 'offers.json', Body);
  const seen = { decisions: 0, offers: await versionShown('large') };
  await world.stage('large', 'offers.json', Body);
  expect((await decideSeen('large', choices[0], seen)).status).toBe(200);
});
