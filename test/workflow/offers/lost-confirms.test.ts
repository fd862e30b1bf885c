import { expect, test } from 'vitest';
import { answer, confirming, inject, loseAnswer, reading } from '../../helpers/faults.ts';
import { decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

/** The bank takes longer than the settling time after which a read is believed. */
const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 300 } });
const { simulator } = world;

test('a read that is refused while the outcome of a confirm is unknown does not count as a refused confirm', async () => {
  const { order, choices } = await untilOffers(world, 'forbidden');
  const [first] = choices;
  simulator.settings.pollAfterSeconds = 20;
  inject(simulator, 'after', confirming, loseAnswer);
  let reads = 0;
  simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && order.confirmations.length > 0 && ++reads === 1) await answer(403)(call, request, reply);
  };
  await decide(world, 'forbidden', [first]);
  const { failure } = await world.untilEnd('forbidden');
  expect(failure?.cause).not.toContain('confirm');
  expect(await world.told('forbidden', 'A confirm was refused')).toEqual([]);
  await world.startNext('forbidden');
  expect(await world.untilEnd('forbidden')).toMatchObject({ status: 'CLOSED' });
  expect(order.confirmations).toMatchObject([first ?? {}]);
});
