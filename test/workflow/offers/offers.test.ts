import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { expect, test, vi } from 'vitest';
import { answer, confirming, inject, loseAnswer, reading } from '../../helpers/faults.ts';
import { choiceStates, choicesOf, decide, untilOffers } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../../helpers/packages.ts';
import { beforeFirst } from '../../helpers/requests.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });

test('choices.json shows a confirm during which the last choice was withdrawn', async () => {
  const orderRef = 'withdrawn-meanwhile';
  const { choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  inject(world.simulator, 'before', confirming, async () => {
    await decide(world, orderRef, [first]);
    await vi.waitFor(async () => expect((await choiceStates(world, orderRef))[1]).toBe('withdrawn'), 10_000);
  });
  await decide(world, orderRef, [first, second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'withdrawn']);
});

test('a choice that is replaced while its confirm begins is not sent', async () => {
  const orderRef = 'replaced-meanwhile';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  const begins = ({ operation, body }: AwsRequest) =>
    operation === 'PutItem' && body.includes(`operation#confirm#${first?.offerId}`);
  beforeFirst(world, begins, async () => {
    await decide(world, orderRef, [second]);
    await vi.waitFor(async () => expect((await choiceStates(world, orderRef))[0]).toBe('withdrawn'), 10_000);
  });
  await decide(world, orderRef, [first]);
  await world.untilEnd(orderRef);
  expect(order.confirmations).toMatchObject([second ?? {}]);
});

test.each([
  ['an invalid decision follows', (orderRef: string) => world.put(orderRef, 'decision.json', '{ "choices": oops')],
  ['its file is deleted', (orderRef: string) => world.removeFromIntake(orderRef, 'decision.json')],
])('an accepted decision counts and wakes the order, although %s at once', async (name, follow) => {
  const orderRef = `taken-though-${name.length}`;
  const { order, choices } = await untilOffers(world, orderRef);
  const [choice] = choices;
  const writesDecision = ({ operation, body }: AwsRequest) =>
    operation === 'UpdateItem' && body.includes('":decision"') && body.includes(orderRef);
  beforeFirst(world, writesDecision, () => follow(orderRef));
  await decide(world, orderRef, [choice]);
  await world.aws.settle();
  expect(order.confirmations).toMatchObject([choice ?? {}]);
  expect(await world.told(orderRef, 'A decision arrived')).toHaveLength(1);
});

test('a read that is refused while the outcome of a confirm is unknown does not count as a refused confirm', async () => {
  const { simulator } = world;
  const { order, choices } = await untilOffers(world, 'forbidden');
  const [first] = choices;
  // The bank takes longer than the settling time after which a read is believed.
  Object.assign(simulator.settings, { bankSeconds: 300, pollAfterSeconds: 20 });
  inject(simulator, 'after', confirming, loseAnswer);
  let reads = 0;
  simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && order.confirmations.length > 0 && ++reads <= 2) await answer(403)(call, request, reply);
  };
  await decide(world, 'forbidden', [first]);
  const { failure } = await world.untilEnd('forbidden');
  expect(failure?.cause).not.toContain('confirm');
  expect(await world.told('forbidden', 'A confirm was refused')).toEqual([]);
  await world.startNext('forbidden');
  expect(await world.untilEnd('forbidden')).toMatchObject({ status: 'CLOSED' });
  expect(order.confirmations).toMatchObject([first ?? {}]);
});

test('offerIds and codes in Cyrillic, with spaces, slashes and quotes are confirmed unchanged by rule and by decision', async () => {
  const odd = (offerId: string, code: string) => ({
    offerId,
    bankName: 'Банк',
    status: 'AVAILABLE',
    creditOptions: [{ code, amount: 1, termMonths: 1, rate: 1 }],
  });
  world.simulator.settings.offers = [odd('Предложение № 1/а', 'срок 12 "мес"'), odd('a b#c', "д'Артаньян")];
  await world.submit('cyrillic', { offers: { choose: 'rule', rule: `(${FIRST_TWO_AVAILABLE})[0]` } });
  const { orderId = '' } = await world.until('cyrillic', ({ status }) => status === 'OFFERS_APPROVED');
  await world.put('cyrillic', 'decision.json', { choices: [{ offerId: 'a b#c', code: "д'Артаньян" }] });
  await world.untilEnd('cyrillic');
  expect(world.simulator.order(orderId)?.confirmations).toMatchObject([
    { offerId: 'Предложение № 1/а', code: 'срок 12 "мес"' },
    { offerId: 'a b#c', code: "д'Артаньян" },
  ]);
});

test('malformed elements in the list of offers are staged unchanged and never chosen', async () => {
  await world.submit('odd', { offers: { choose: 'manual' } });
  const nonsense = [null, 7, 'offer', [], {}, { offerId: 'x', status: 'AVAILABLE', creditOptions: [null, 'X'] }];
  world.simulator.hooks.before = async (call, request, reply) => {
    const order = reading(call) ? world.simulator.order(call.orderId ?? '') : undefined;
    if (!order || order.offers.length === 0) return;
    const twice = { ...order.offers[0], status: 'WITHDRAWN' };
    const body = { status: order.status, pollAfterSeconds: 2, offers: [...nonsense, ...order.offers, twice] };
    await answer(200, body)(call, request, reply);
  };
  await world.until('odd', ({ waitingFor }) => waitingFor === 'decision');
  expect((await world.stagedJson<unknown[]>('odd', 'offers.json')).slice(0, nonsense.length)).toEqual(nonsense);
  const [listedTwice, other] = choicesOf(await orderAtService(world, 'odd'));
  await decide(world, 'odd', [{ offerId: 'x', code: 'X' }, listedTwice]);
  await world.aws.settle();
  expect(await world.stagedJson('odd', 'decision-rejected.json')).toMatchObject({
    problems: [{ path: '$.choices[0].code' }, { path: '$.choices[1].offerId' }],
  });
  await decide(world, 'odd', [other]);
  expect(await world.untilEnd('odd')).toMatchObject({ status: 'CLOSED' });
});
