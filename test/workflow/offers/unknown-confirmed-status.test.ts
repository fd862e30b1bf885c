import { expect, test } from 'vitest';
import { confirming, inject } from '../../helpers/faults.ts';
import { choiceStates, closeAtNextRead, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

/** This stage expects confirmed offers to have the status TAKEN. The service says CONFIRMED. */
const world = await openWorld({
  environment: { CONFIRMED_OFFER_STATUS: 'TAKEN' },
  settings: { ...OFFERS_AT_ONCE, bankSeconds: 60 },
});

const FIRST = "(offers[status='AVAILABLE'])[0].{ 'offerId': offerId, 'code': creditOptions[0].code }";

const confirms = async (orderRef: string) => (await world.calls(orderRef)).filter(confirming);

test('a lost confirm stays unknown when the order is CLOSED at the next read, and it is not sent again', async () => {
  inject(world.simulator, 'after', confirming, async (call, request) => {
    const order = world.simulator.order(call.orderId ?? '');
    if (!order) throw new Error('The service has no such order.');
    closeAtNextRead(world, order);
    request.raw.socket.destroy();
  });
  await submit(world, 'closed', { offers: { choose: 'rule', rule: FIRST } });
  expect(await world.untilEnd('closed')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  const timeline = (await world.items('closed')).map(({ what }) => what);
  expect(timeline).toContain('Closed with confirms of unknown outcome: ask the bank');
  expect(await choiceStates(world, 'closed')).toEqual(['outcome unknown']);
  expect(await confirms('closed')).toHaveLength(1);
});
