import { expect, test } from 'vitest';
import { answer, reading } from '../../helpers/faults.ts';
import { choicesOf, decide } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../../helpers/packages.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 5 } });

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
