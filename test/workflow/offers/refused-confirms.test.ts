import { expect, test } from 'vitest';
import { answer, confirming, inject } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { bankSeconds: 60 } });

interface Page {
  choices: { offerId: string; code: string; state: string }[];
}

const states = async (orderRef: string) =>
  (await world.stagedJson<Page>(orderRef, 'choices.json')).choices.map(({ state }) => state);

/** Submits an order and waits until it can be decided on; answers it with its choices, one of each AVAILABLE offer. */
async function untilOffers(orderRef: string) {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  const choices = order.offers
    .filter(({ status }) => status === 'AVAILABLE')
    .map(({ offerId, creditOptions }) => ({ offerId, code: creditOptions[0]?.code }));
  return { order, choices };
}

const decide = (orderRef: string, choices: unknown[]) => world.put(orderRef, 'decision.json', { choices });

test('the choices behind one that is refused are confirmed, then the execution fails', async () => {
  const orderRef = 'behind-refused';
  const { order, choices } = await untilOffers(orderRef);
  inject(world.simulator, 'before', confirming, answer(422, { message: 'not for this customer' }));
  await decide(orderRef, choices);
  expect(await world.untilEnd(orderRef)).toMatchObject({
    waitingFor: 'operator',
    failure: { error: 'Rejected', cause: expect.stringContaining('errors/') },
  });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual(choices.slice(1).map(({ offerId }) => offerId));
  expect(await states(orderRef)).toEqual(
    choices.map((_, position) => (position === 0 ? 'not confirmed' : 'confirmed')),
  );
  const kept = (await world.stagedKeys(orderRef)).filter((key) => key.startsWith('errors/'));
  expect(kept).toHaveLength(1);
  expect(await world.staged(orderRef, kept[0] ?? '')).toContain('not for this customer');
});

test('an order that the bank closes before a further confirm ends CLOSED, and the choice says why it was not confirmed', async () => {
  const orderRef = 'closed-between';
  const { order, choices } = await untilOffers(orderRef);
  const [first, second] = choices;
  inject(world.simulator, 'after', confirming, async () => {
    order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
  });
  await decide(orderRef, [first, second]);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody', generation: 1 });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([first?.offerId]);
  expect(await states(orderRef)).toEqual(['confirmed', 'not confirmed: the order was closed']);
});

test('a decision that leaves out what was refused, before the next read, needs no operator', async () => {
  const orderRef = 'left-out-at-once';
  const { order, choices } = await untilOffers(orderRef);
  const [first, second] = choices;
  let isCorrected = false;
  inject(world.simulator, 'before', confirming, async (call, request, reply) => {
    await answer(422)(call, request, reply);
    isCorrected = true;
  });
  await decide(orderRef, [first, second]);
  await world.until(orderRef, () => isCorrected);
  await decide(orderRef, [second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'service', generation: 1 });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([second?.offerId]);
  expect(await states(orderRef)).toEqual(['withdrawn', 'confirmed']);
});
