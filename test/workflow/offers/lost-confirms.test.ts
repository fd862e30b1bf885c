import { afterEach, expect, test } from 'vitest';
import { answer, confirming, loseAnswer, loseRequest, reading, removeFaults } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** A bank that takes longer than it takes to believe a read. */
const world = await openWorld({ settings: { bankSeconds: 900, documentsToSign: 1 } });
const { simulator } = world;

afterEach(() => {
  removeFaults(simulator);
  simulator.settings.pollAfterSeconds = 2;
});

const confirms = async (orderRef: string) => (await world.calls(orderRef)).filter(confirming);

/** Does `fault` to the first confirm alone. */
function spoilFirst(when: 'before' | 'after', fault: typeof loseAnswer): { isMet: () => boolean } {
  let met = 0;
  simulator.hooks[when] = async (call, request, reply) => {
    if (confirming(call) && ++met === 1) return fault(call, request, reply);
  };
  return { isMet: () => met > 0 };
}

async function untilOffers(orderRef: string) {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
  const order = simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  const available = order.offers.filter(({ status }) => status === 'AVAILABLE');
  const choices = available.map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code ?? '' }));
  const [first, second] = choices;
  if (!first || !second) throw new Error('The service made fewer than two offers.');
  const codes = available[0]?.creditOptions.map(({ code }) => code) ?? [];
  return { order, first, second, otherCode: { ...first, code: codes[1] ?? '' } };
}

const decide = (orderRef: string, choices: unknown[]) => world.put(orderRef, 'decision.json', { choices });

test('a confirm that was lost with hourly reads is found not done by the reads, and sent again', async () => {
  simulator.settings.pollAfterSeconds = 3_600;
  const { first, order } = await untilOffers('hourly');
  spoilFirst('before', loseRequest);
  await decide('hourly', [first]);
  expect(await world.untilEnd('hourly')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(order.confirmations).toMatchObject([first]);
});

/** Does `fault` to the first confirm; the reads right after it, so many, say what the order was before it. */
function spoilAndReadStale(times: number, fault: typeof loseAnswer): { stale: unknown[] } {
  const stale: unknown[] = [];
  let before: unknown;
  let confirms = 0;
  simulator.hooks.after = async (call, request, reply, payload) => {
    if (confirming(call) && ++confirms === 1) return fault(call, request, reply);
    if (!reading(call)) return undefined;
    if (confirms === 0) before = payload;
    if (confirms === 0 || stale.length >= times) return undefined;
    stale.push(before);
    return before;
  };
  return { stale };
}

test('a confirm that came through is not sent again on reads that are stale for a minute', async () => {
  simulator.settings.pollAfterSeconds = 20;
  const { stale } = spoilAndReadStale(3, loseAnswer);
  const { first, order } = await untilOffers('stale');
  await decide('stale', [first]);
  expect(await world.untilEnd('stale')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(stale).toEqual(Array(3).fill(expect.stringContaining('OFFERS_AVAILABLE')));
  expect(await confirms('stale')).toHaveLength(1);
  expect(order.confirmations).toMatchObject([first]);
});

test('another code is not sent on a stale read where a confirm answered 503 came through', async () => {
  simulator.settings.pollAfterSeconds = 20;
  let wanted: unknown[] = [];
  const { stale } = spoilAndReadStale(3, async (_call, _request, reply) => {
    reply.code(503);
    await decide('code', wanted);
  });
  const { first, otherCode, order } = await untilOffers('code');
  wanted = [otherCode];
  await decide('code', [first]);
  expect(await world.untilEnd('code')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(stale).toEqual(Array(3).fill(expect.stringContaining('OFFERS_AVAILABLE')));
  expect(order.confirmations).toMatchObject([first]);
  expect(await confirms('code')).toHaveLength(1);
});

test.each<
  [
    string,
    (offers: Awaited<ReturnType<typeof untilOffers>>) => unknown[],
    (offers: Awaited<ReturnType<typeof untilOffers>>) => unknown[],
  ]
>([
  ['another offer', ({ second }) => [second], ({ second }) => [second]],
  ['another code', ({ otherCode }) => [otherCode], ({ otherCode }) => [otherCode]],
])(
  '%s, decided while the outcome of a confirm is unknown, counts alone once it was not done',
  async (name, wanted, expected) => {
    const orderRef = `instead-${name.replace(' ', '-')}`;
    const offers = await untilOffers(orderRef);
    simulator.settings.pollAfterSeconds = 120;
    const { isMet } = spoilFirst('before', loseRequest);
    await decide(orderRef, [offers.first]);
    await world.until(orderRef, isMet);
    await decide(orderRef, wanted(offers));
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(offers.order.confirmations).toMatchObject(expected(offers));
  },
);

test('no offer at all, decided while the outcome of a confirm is unknown, sends nothing more', async () => {
  const { first, order } = await untilOffers('none');
  simulator.settings.pollAfterSeconds = 120;
  const { isMet } = spoilFirst('before', loseRequest);
  await decide('none', [first]);
  await world.until('none', isMet);
  await decide('none', []);
  const { at } = { at: world.clock.now() };
  await world.until('none', () => world.clock.now() > at + 3_600_000);
  expect(order.confirmations).toEqual([]);
  expect(await confirms('none')).toHaveLength(1);
  expect(await world.stagedJson('none', 'choices.json')).toMatchObject({
    none: true,
    choices: [{ state: 'withdrawn' }],
  });
});

test('a refused read while the outcome of a confirm is unknown is not taken for a refused confirm', async () => {
  const { first, order } = await untilOffers('forbidden');
  simulator.settings.pollAfterSeconds = 20;
  spoilFirst('after', loseAnswer);
  let reads = 0;
  simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && order.confirmations.length > 0 && ++reads === 1) await answer(403)(call, request, reply);
  };
  await decide('forbidden', [first]);
  const { failure } = await world.untilEnd('forbidden');
  expect(failure?.cause).not.toContain('confirm');
  expect((await world.items('forbidden')).map(({ what }) => what)).not.toContain('A confirm was refused');
  await world.startNext('forbidden');
  expect(await world.untilEnd('forbidden')).toMatchObject({ status: 'CLOSED' });
  expect(order.confirmations).toMatchObject([first]);
});
