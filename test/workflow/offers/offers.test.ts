import { defaultOffers } from '@business-loan-orders/order-simulator';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bringDeadline } from '../../helpers/awaited.ts';
import { answer, reading } from '../../helpers/faults.ts';
import { decide, OFFERS_AT_ONCE, stagedChoices, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE, submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE, ordersGoOn: true });

beforeEach(() => {
  Object.assign(world.simulator.settings, { offers: defaultOffers, bankSeconds: 5 });
});

const waitsForDecision = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'decision';

const rejectedPage = (orderRef: string) =>
  world.stagedJson<{ versionId: string; problems: { path: string }[] } | null>(orderRef, 'decision-rejected.json');

/** The paths of the problems of a decision. */
async function problemsOf(orderRef: string, decision: unknown): Promise<string[]> {
  const before = await rejectedPage(orderRef);
  await world.put(orderRef, 'decision.json', decision);
  await world.aws.settle();
  const page = await rejectedPage(orderRef);
  expect(page?.versionId).not.toBe(before?.versionId);
  return (page?.problems ?? []).map(({ path }) => path);
}

test('a rule confirms two offers and a later decision a third, and each confirm has its own ledger entry', async () => {
  await submit(world, 'three');
  const { orderId = '' } = await world.until('three', ({ status }) => status === 'OFFERS_APPROVED');
  const chosen = await stagedChoices(world, 'three');
  const atService = world.simulator.order(orderId);
  expect(chosen.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
  const [offer] = atService?.offers.filter(({ status }) => status === 'AVAILABLE') ?? [];
  const third = { offerId: offer?.offerId ?? '', code: offer?.creditOptions[0]?.code ?? '' };
  await decide(world, 'three', [third]);
  expect(await world.untilEnd('three')).toMatchObject({ status: 'CLOSED' });
  expect(atService?.confirmations.map(({ offerId, code }) => ({ offerId, code }))).toEqual([
    ...chosen.map(({ offerId, code }) => ({ offerId, code })),
    third,
  ]);
  expect(atService?.offers.map(({ bankName, status }) => `${bankName} ${status}`)).toEqual([
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

test('a retry after DecisionOverdue waits for a decision again and carries it out', async () => {
  const { choices } = await untilOffers(world, 'late');
  await bringDeadline(world, 'late');
  expect(await world.untilEnd('late')).toMatchObject({ failure: { error: 'DecisionOverdue' } });
  await world.startNext('late');
  await world.until('late', waitsForDecision);
  expect(await world.record('late')).not.toHaveProperty('failure');
  await decide(world, 'late', choices.slice(0, 1));
  expect(await world.untilEnd('late')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

describe('an order that gets one bad decision after the other', () => {
  const orderRef = 'bad-decisions';

  beforeAll(() => untilOffers(world, orderRef));

  test.each([
    ['null', 'null', ['$']],
    ['a list', '[]', ['$']],
    ['a number', '1', ['$']],
    [
      'numbers instead of strings',
      '{"choices":[{"offerId":1,"code":2}]}',
      ['$.choices[0].offerId', '$.choices[0].code'],
    ],
    ['an empty offerId', '{"choices":[{"offerId":"","code":"X"}]}', ['$.choices[0].offerId']],
    ['no bytes', '', ['$']],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), ['$']],
    ['two megabytes', `{"choices":[]${' '.repeat(2 * 1024 * 1024)}}`, ['$']],
    [
      'more choices than an order may have',
      JSON.stringify({ choices: Array(101).fill({ offerId: 'a', code: 'b' }) }),
      ['$.choices'],
    ],
  ])('rejects %s with its problems, and changes nothing', async (_name, content, paths) => {
    expect(await problemsOf(orderRef, content)).toEqual(paths);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'decision' });
    expect(await stagedChoices(world, orderRef)).toEqual([]);
  });

  test('goes on with a good one after them', async () => {
    await decide(world, orderRef, []);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'service');
    world.aws.discardExecutions();
  });
});

test('offerIds and codes in Cyrillic, with spaces, slashes and quotes are confirmed unchanged by rule and by decision', async () => {
  const odd = (offerId: string, code: string) => ({
    offerId,
    bankName: 'Банк',
    status: 'AVAILABLE',
    creditOptions: [{ code, amount: 1, termMonths: 1, rate: 1 }],
  });
  world.simulator.settings.offers = [odd('Предложение № 1/а', 'срок 12 "мес"'), odd('a b#c', "д'Артаньян")];
  await submit(world, 'cyrillic', { offers: { choose: 'rule', rule: `(${FIRST_TWO_AVAILABLE})[0]` } });
  const { orderId = '' } = await world.until('cyrillic', ({ status }) => status === 'OFFERS_APPROVED');
  await world.put('cyrillic', 'decision.json', { choices: [{ offerId: 'a b#c', code: "д'Артаньян" }] });
  await world.untilEnd('cyrillic');
  expect(world.simulator.order(orderId)?.confirmations).toMatchObject([
    { offerId: 'Предложение № 1/а', code: 'срок 12 "мес"' },
    { offerId: 'a b#c', code: "д'Артаньян" },
  ]);
});

test('malformed elements in the list of offers are staged unchanged and never chosen', async () => {
  await submit(world, 'odd', { offers: { choose: 'manual' } });
  const nonsense = [null, 7, 'offer', [], {}, { offerId: 'x', status: 'AVAILABLE', creditOptions: [null, 'X'] }];
  world.simulator.hooks.before = async (call, request, reply) => {
    const order = reading(call) ? world.simulator.order(call.orderId ?? '') : undefined;
    if (!order || order.offers.length === 0) return;
    const twice = { ...order.offers[0], status: 'WITHDRAWN' };
    const body = { status: order.status, pollAfterSeconds: 2, offers: [...nonsense, ...order.offers, twice] };
    await answer(200, body)(call, request, reply);
  };
  const { orderId = '' } = await world.until('odd', waitsForDecision);
  expect((await world.stagedJson<unknown[]>('odd', 'offers.json')).slice(0, nonsense.length)).toEqual(nonsense);
  const available = world.simulator.order(orderId)?.offers.filter(({ status }) => status === 'AVAILABLE') ?? [];
  const [listedTwice, other] = available.map(({ offerId, creditOptions }) => ({
    offerId,
    code: creditOptions[0]?.code,
  }));
  const wrong = { choices: [{ offerId: 'x', code: 'X' }, listedTwice] };
  expect(await problemsOf('odd', wrong)).toEqual(['$.choices[0].code', '$.choices[1].offerId']);
  await decide(world, 'odd', [other]);
  expect(await world.untilEnd('odd')).toMatchObject({ status: 'CLOSED' });
});
