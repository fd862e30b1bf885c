import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultOffers } from '../../../packages/order-simulator/offers.ts';
import { bringDeadline } from '../../helpers/awaited.ts';
import { answer, confirming, reading } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { FIRST_TWO_AVAILABLE, submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: OFFERS_AT_ONCE, ordersGoOn: true });

beforeEach(() => {
  Object.assign(world.simulator.settings, { offers: defaultOffers, bankSeconds: 5 });
});

interface StagedOffer {
  offerId: string;
  status: string;
  creditOptions: { code: string }[];
}

interface ChoicesPage {
  reason?: string;
  choices: { offerId: string; code: string; state: string }[];
}

const manual = { offers: { choose: 'manual' } };
const waitsForDecision = ({ waitingFor }: { waitingFor: string }) => waitingFor === 'decision';
const choicesPage = (orderRef: string) => world.stagedJson<ChoicesPage>(orderRef, 'choices.json');

async function available(orderRef: string): Promise<{ offerId: string; code: string }[]> {
  const offers = await world.stagedJson<StagedOffer[]>(orderRef, 'offers.json');
  return offers
    .filter((offer) => offer?.status === 'AVAILABLE')
    .map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code ?? '' }));
}

interface RejectedPage {
  versionId: string;
  problems: { path: string; problem: string }[];
}

const rejectedPage = (orderRef: string) => world.stagedJson<RejectedPage | null>(orderRef, 'decision-rejected.json');

async function problemsOf(orderRef: string, decision: unknown): Promise<{ path: string; problem: string }[]> {
  const before = await rejectedPage(orderRef);
  await world.put(orderRef, 'decision.json', decision);
  await world.aws.settle();
  const page = await rejectedPage(orderRef);
  expect(page?.versionId).not.toBe(before?.versionId);
  return page?.problems ?? [];
}

test('a rule confirms two offers and a later decision a third, and each confirm has its own ledger entry', async () => {
  await submit(world, 'three');
  const { orderId = '' } = await world.until('three', ({ status }) => status === 'OFFERS_APPROVED');
  const { choices: chosen } = await choicesPage('three');
  expect(chosen.map(({ state }) => state)).toEqual(['confirmed', 'confirmed']);
  const [third = { offerId: '', code: '' }] = await available('three');
  await world.put('three', 'decision.json', { choices: [third] });
  expect(await world.untilEnd('three')).toMatchObject({ status: 'CLOSED' });
  const atService = world.simulator.order(orderId);
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
  expect((await choicesPage('three')).choices).toEqual([...chosen, { ...third, state: 'confirmed' }]);
});

const byItem = (one: { item: string }, other: { item: string }) => one.item.localeCompare(other.item);

test('after one of two confirms is refused, the confirmed choice stays and the refused one can be withdrawn', async () => {
  let confirms = 0;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (!confirming(call)) return;
    confirms += 1;
    if (confirms === 2) await answer(422, { error: { code: 'limit_reached' } })(call, request, reply);
  };
  // The order must not be over before the retry.
  world.simulator.settings.bankSeconds = 60;
  await submit(world, 'partial');
  const { orderId = '', ...order } = await world.untilEnd('partial');
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'Rejected' } });
  const { choices } = await choicesPage('partial');
  expect(choices.map(({ state }) => state)).toEqual(['confirmed', 'not confirmed']);
  await world.put('partial', 'decision.json', { choices: [] });
  await world.aws.settle();
  await world.startNext('partial');
  expect(await world.untilEnd('partial')).toMatchObject({ status: 'CLOSED', generation: 2 });
  expect(world.simulator.order(orderId)?.confirmations).toHaveLength(1);
  expect((await choicesPage('partial')).choices.map(({ state }) => state)).toEqual(['confirmed', 'withdrawn']);
});

test('a retry after DecisionOverdue waits for a decision again and carries it out', async () => {
  await submit(world, 'late', manual);
  await world.until('late', waitsForDecision);
  await bringDeadline(world, 'late');
  expect(await world.untilEnd('late')).toMatchObject({ failure: { error: 'DecisionOverdue' } });
  await world.startNext('late');
  await world.until('late', waitsForDecision);
  expect(await world.record('late')).not.toHaveProperty('failure');
  await world.put('late', 'decision.json', { choices: (await available('late')).slice(0, 1) });
  expect(await world.untilEnd('late')).toMatchObject({ status: 'CLOSED', generation: 2 });
});

describe('an order that gets one bad decision after the other', () => {
  const orderRef = 'bad-decisions';

  beforeAll(async () => {
    await submit(world, orderRef, manual);
    await world.until(orderRef, waitsForDecision);
  });

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
    expect((await problemsOf(orderRef, content)).map(({ path }) => path)).toEqual(paths);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'decision' });
    expect((await choicesPage(orderRef)).choices).toEqual([]);
  });

  test('goes on with a good one after them', async () => {
    await world.put(orderRef, 'decision.json', { choices: [] });
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'service');
    world.aws.discardExecutions();
  });
});

test('a decision that chooses an offer twice is rejected, and a decision with a byte order mark is accepted', async () => {
  await submit(world, 'twice', manual);
  await world.until('twice', waitsForDecision);
  const [offer] = (await world.stagedJson<StagedOffer[]>('twice', 'offers.json')).filter(
    ({ creditOptions }) => creditOptions.length > 1,
  );
  const [first, second] = offer?.creditOptions.map(({ code }) => ({ offerId: offer.offerId, code })) ?? [];
  for (const choices of [
    [first, first],
    [first, second],
  ]) {
    expect(await problemsOf('twice', { choices })).toMatchObject([{ path: '$.choices[1].offerId' }]);
  }
  await world.put('twice', 'decision.json', `\ufeff${JSON.stringify({ choices: [first] })}`);
  expect(await world.untilEnd('twice')).toMatchObject({ status: 'CLOSED' });
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

test('an offer that is no longer AVAILABLE is not confirmed; the decision is rejected and a person chooses again', async () => {
  await submit(world, 'expired', manual);
  const { orderId = '' } = await world.until('expired', waitsForDecision);
  const [first, second] = await available('expired');
  const offer = world.simulator.order(orderId)?.offers.find(({ offerId }) => offerId === first?.offerId);
  if (offer) offer.status = 'EXPIRED';
  await world.put('expired', 'decision.json', { choices: [first] });
  expect(await world.untilEnd('expired')).toMatchObject({ failure: { error: 'Rejected' } });
  await world.startNext('expired');
  await world.until('expired', waitsForDecision);
  expect(await world.stagedJson('expired', 'decision-rejected.json')).toMatchObject({
    problems: [{ path: '$.choices[0].offerId', problem: 'This offer is not AVAILABLE.' }],
  });
  await world.put('expired', 'decision.json', { choices: [second] });
  expect(await world.untilEnd('expired')).toMatchObject({ status: 'CLOSED' });
  expect(world.simulator.order(orderId)?.confirmations).toMatchObject([second]);
});

test('malformed elements in the list of offers are staged unchanged and never chosen', async () => {
  await submit(world, 'odd', manual);
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
  const [listedTwice, other] = (await available('odd')).filter(({ offerId }) => offerId !== 'x');
  const wrong = { choices: [{ offerId: 'x', code: 'X' }, listedTwice] };
  expect((await problemsOf('odd', wrong)).map(({ path }) => path)).toEqual([
    '$.choices[0].code',
    '$.choices[1].offerId',
  ]);
  await world.put('odd', 'decision.json', { choices: [other] });
  expect(await world.untilEnd('odd')).toMatchObject({ status: 'CLOSED' });
});
