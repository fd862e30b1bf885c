import { expect, test } from 'vitest';
import { answer, confirming, inject } from '../../helpers/faults.ts';
import { choiceStates, closeAtNextRead, decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });

test('when the first choice is refused, the other choices are confirmed before the execution fails', async () => {
  const orderRef = 'behind-refused';
  const { order, choices } = await untilOffers(world, orderRef);
  inject(world.simulator, 'before', confirming, answer(422, { message: 'not for this customer' }));
  await decide(world, orderRef, choices);
  expect(await world.untilEnd(orderRef)).toMatchObject({
    waitingFor: 'operator',
    failure: { error: 'Rejected', cause: expect.stringContaining('errors/') },
  });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual(choices.slice(1).map(({ offerId }) => offerId));
  expect(await choiceStates(world, orderRef)).toEqual(
    choices.map((_, position) => (position === 0 ? 'not confirmed' : 'confirmed')),
  );
  const kept = (await world.stagedKeys(orderRef)).filter((key) => key.startsWith('errors/'));
  expect(kept).toHaveLength(1);
  expect(await world.staged(orderRef, kept[0] ?? '')).toContain('not for this customer');
});

test('when the bank closes the order before the second confirm, the order ends CLOSED and the choice says why it was not confirmed', async () => {
  const orderRef = 'closed-between';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  inject(world.simulator, 'after', confirming, async () => {
    closeAtNextRead(world, order);
  });
  await decide(world, orderRef, [first, second]);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody', generation: 1 });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([first?.offerId]);
  expect(await choiceStates(world, orderRef)).toEqual(['confirmed', 'not confirmed: the order was closed']);
});

test('no operator is needed when a new decision drops the refused choice before the next read', async () => {
  const orderRef = 'left-out-at-once';
  const { order, choices } = await untilOffers(world, orderRef);
  const [first, second] = choices;
  let isCorrected = false;
  inject(world.simulator, 'before', confirming, async (call, request, reply) => {
    await answer(422)(call, request, reply);
    isCorrected = true;
  });
  await decide(world, orderRef, [first, second]);
  await world.until(orderRef, () => isCorrected);
  await decide(world, orderRef, [second]);
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: 'service', generation: 1 });
  expect(order.confirmations.map(({ offerId }) => offerId)).toEqual([second?.offerId]);
  expect(await choiceStates(world, orderRef)).toEqual(['withdrawn', 'confirmed']);
});
