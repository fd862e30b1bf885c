import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { answer, confirming, inject, loseAnswer, loseRequest, reading } from '../../helpers/faults.ts';
import { type Choice, decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';

/** The bank takes longer than the settling time after which a read is believed. */
const world = await openWorld({ settings: { ...OFFERS_AT_ONCE, bankSeconds: 300 } });
const { simulator } = world;

const confirms = (orderRef: string) => world.calls(orderRef, confirming);

/** What a decision can choose: an offer with its first and with its second code. */
interface PossibleChoices {
  order: SimulatedOrder;
  first: Choice;
  otherCode: Choice;
}

async function untilChoices(orderRef: string): Promise<PossibleChoices> {
  const { order, offers, choices } = await untilOffers(world, orderRef);
  const [first] = choices;
  if (!first) throw new Error('The service made no offer.');
  return { order, first, otherCode: { ...first, code: offers[0]?.codes[1] ?? '' } };
}

test('only another code is confirmed when it is decided while the outcome of a confirm is unknown and that confirm was not done', async () => {
  const orderRef = 'instead';
  const { first, otherCode, order } = await untilChoices(orderRef);
  simulator.settings.pollAfterSeconds = 120;
  inject(simulator, 'before', confirming, loseRequest);
  await decide(world, orderRef, [first]);
  await world.aws.runUntil(async () => (await confirms(orderRef)).length > 0);
  await decide(world, orderRef, [otherCode]);
  expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(order.confirmations).toMatchObject([otherCode]);
});

test('a read that is refused while the outcome of a confirm is unknown does not count as a refused confirm', async () => {
  const { first, order } = await untilChoices('forbidden');
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
  expect(order.confirmations).toMatchObject([first]);
});
