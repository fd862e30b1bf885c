import { expect, test } from 'vitest';
import { answer, confirming, inject } from '../../helpers/faults.ts';
import { choiceStates, decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 } });

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
