import { beforeEach, expect, test, vi } from 'vitest';
import { confirming, inject } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** Decisions that are changed after a confirm was answered 429 though the service had done it, and before it is tried again. */
let confirms = 0;
let beforeSecond: (() => Promise<void>) | undefined;
const world = await openWorld({
  settings: { bankSeconds: 60 },
  invokeWrapper: async (functionName, _event, invoke) => {
    if (functionName.endsWith('confirm-offer') && ++confirms === 2) await beforeSecond?.();
    return invoke();
  },
});

beforeEach(() => {
  confirms = 0;
});

interface Page {
  choices: { offerId: string; code: string; state: string }[];
}

const choicesOf = async (orderRef: string) => (await world.stagedJson<Page>(orderRef, 'choices.json')).choices;
const states = async (orderRef: string) => (await choicesOf(orderRef)).map(({ state }) => state);

/** Uploads a decision and waits until it is taken, as the states that follow from it say. */
async function decide(orderRef: string, choices: unknown[], taken: (page: Page['choices']) => void): Promise<void> {
  await world.put(orderRef, 'decision.json', { choices });
  await vi.waitFor(async () => taken(await choicesOf(orderRef)), 10_000);
}

/** Submits an order and answers what can be chosen once it waits for that: offers with their first two codes. */
async function untilOffers(orderRef: string) {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  const offers = order.offers.filter(({ status }) => status === 'AVAILABLE');
  inject(world.simulator, 'after', confirming, async (_call, _request, reply) => {
    reply.code(429);
  });
  return {
    order,
    offers: offers.map(({ offerId, creditOptions }) => ({ offerId, codes: creditOptions.map(({ code }) => code) })),
  };
}

test.each([
  ['approved', false],
  ['closed', true],
])('a choice that is withdrawn too late is shown as confirmed once the order is %s', async (name, isClosed) => {
  const orderRef = `withdrawn-${name}`;
  const { order, offers } = await untilOffers(orderRef);
  const [first, second] = offers.map(({ offerId, codes }) => ({ offerId, code: codes[0] }));
  beforeSecond = async () => {
    await decide(orderRef, isClosed ? [] : [second], (page) => expect(page[0]?.state).toBe('withdrawn'));
    if (isClosed) order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
  };
  await world.put(orderRef, 'decision.json', { choices: [first] });
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await states(orderRef)).toEqual(isClosed ? ['confirmed'] : ['confirmed', 'confirmed']);
  expect(order.confirmations).toHaveLength(isClosed ? 1 : 2);
});

test('a code that is changed too late: the record has what the service has', async () => {
  const { order, offers } = await untilOffers('changed');
  const [
    {
      offerId,
      codes: [before, after],
    } = { offerId: '', codes: [] },
  ] = offers;
  beforeSecond = () => decide('changed', [{ offerId, code: after }], (page) => expect(page[0]?.code).toBe(after));
  await world.put('changed', 'decision.json', { choices: [{ offerId, code: before }] });
  expect(await world.untilEnd('changed')).toMatchObject({ status: 'CLOSED' });
  expect(before).not.toBe(after);
  expect(order.confirmations).toMatchObject([{ offerId, code: before }]);
  expect(await choicesOf('changed')).toEqual([{ offerId, code: before, state: 'confirmed' }]);
  const items = await world.items('changed');
  expect(items.find(({ item }) => item === `operation#confirm#${offerId}`)).toMatchObject({
    outcome: { code: before },
  });
  expect(items.find(({ what }) => what === 'Found an offer confirmed')).toMatchObject({ code: before });
});
