import { expect, test } from 'vitest';
import { answer, reading } from '../../helpers/faults.ts';
import { choicesOf, decide, stagedChoices } from '../../helpers/offers.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE } from '../../helpers/packages.ts';
import { orderAtService } from '../../helpers/signatures.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 5 } });

const waitsForDecision = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'decision';

test('a rule confirms two offers and a later decision a third, and each confirm has its own ledger entry', async () => {
  await world.submitUntil('three', ({ status }) => status === 'OFFERS_APPROVED');
  const chosen = await stagedChoices(world, 'three');
  const atService = await orderAtService(world, 'three');
  expect(chosen.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
  const [third = expect.fail()] = choicesOf(atService);
  await decide(world, 'three', [third]);
  expect(await world.untilEnd('three')).toMatchObject({ status: 'CLOSED' });
  expect(atService.confirmations.map(({ offerId, code }) => ({ offerId, code }))).toEqual([
    ...chosen.map(({ offerId, code }) => ({ offerId, code })),
    third,
  ]);
  expect(atService.offers.map(({ bankName, status }) => `${bankName} ${status}`)).toEqual([
    'First Bank CONFIRMED',
    'Second Bank REFUSED',
    'Third Bank CONFIRMED',
    'Fourth Bank CONFIRMED',
    'Fifth Bank EXPIRED',
  ]);
  const entries = (await world.items('three')).filter(({ item }) => item.startsWith('operation#confirm#'));
  expect(entries.map(({ item, state, attempts }) => ({ item, state, attempts })).toSorted(byItem)).toEqual(
    [...chosen, third]
      .map(({ offerId }) => ({ item: `operation#confirm#${offerId}`, state: 'done', attempts: 1 }))
      .toSorted(byItem),
  );
  expect(await stagedChoices(world, 'three')).toEqual([...chosen, { ...third, state: 'confirmed' }]);
});

const byItem = (one: { item: string }, other: { item: string }) => one.item.localeCompare(other.item);

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
  await world.until('odd', waitsForDecision);
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
