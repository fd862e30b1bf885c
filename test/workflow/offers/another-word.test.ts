import { expect, test } from 'vitest';
import { confirming, inject } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** A stage that expects another word for a confirmed offer than the service has. */
const world = await openWorld({ environment: { CONFIRMED_OFFER_STATUS: 'TAKEN' }, settings: { bankSeconds: 60 } });

const FIRST = "(offers[status='AVAILABLE'])[0].{ 'offerId': offerId, 'code': creditOptions[0].code }";

const states = async (orderRef: string) => {
  const page = await world.stagedJson<{ choices: { state: string }[] }>(orderRef, 'choices.json');
  return page.choices.map(({ state }) => state);
};
const confirms = async (orderRef: string) => (await world.calls(orderRef)).filter(confirming);

test('a lost confirm of an order that is CLOSED before it is read stays unknown, and nothing is sent again', async () => {
  inject(world.simulator, 'after', confirming, async (call, request) => {
    const order = world.simulator.order(call.orderId ?? '');
    if (!order) throw new Error('The service has no such order.');
    order.progress = { ...order.progress, due: { status: 'CLOSED', at: world.clock.now() } };
    request.raw.socket.destroy();
  });
  await submit(world, 'closed', { offers: { choose: 'rule', rule: FIRST } });
  expect(await world.untilEnd('closed')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  const told = (await world.items('closed')).map(({ what }) => what);
  expect(told).toContain('Closed with confirms of unknown outcome: ask the bank');
  expect(await states('closed')).toEqual(['outcome unknown']);
  expect(await confirms('closed')).toHaveLength(1);
});

test('a lost further confirm is found while OFFERS_APPROVED holds, by its offer that is gone', async () => {
  let position = 0;
  world.simulator.hooks.after = async (call, request) => {
    if (confirming(call) && ++position === 2) request.raw.socket.destroy();
  };
  await submit(world, 'further');
  expect(await world.untilEnd('further')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await states('further')).toEqual(['confirmed', 'confirmed']);
  expect(await confirms('further')).toHaveLength(2);
});
