import { expect, test } from 'vitest';
import type { SimulatedOrder } from '../../../simulator/index.ts';
import { downloading, reading } from '../../helpers/faults.ts';
import { closeAtNextRead, decide } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

/** A wait for people ends regularly, on the laptop once a day. Then the order is read, and the wait begins again. */
let isDelivering = true;
const world = await openWorld({
  deliveryWrapper: (event, deliver) => {
    if (isDelivering || event['detail-type'] !== 'Object Created') deliver();
  },
});

const waitsFor = (what: string) => (order: { waitingFor: string }) => order.waitingFor === what;

/** Submits an order, and lets time pass until it waits for `what`. Returns the order at the service. */
async function untilWaits(orderRef: string, what: 'signatures' | 'decision'): Promise<SimulatedOrder> {
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, waitsFor(what), { signing: what !== 'signatures' });
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  return order;
}

async function letTwoDaysPass(orderRef: string): Promise<void> {
  const until = world.clock.now() + 2 * DAY;
  await world.until(orderRef, () => world.clock.now() >= until, { signing: false, limit: 4 * DAY });
}

test.each(['signatures', 'decision'] as const)(
  'an order that closes at the service while it waits for people (%s) is found CLOSED when the wait ends',
  async (what) => {
    const orderRef = `closed-waiting-for-${what}`;
    const order = await untilWaits(orderRef, what);
    closeAtNextRead(world, order);
    const begun = world.clock.now();
    expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
    expect(world.clock.now() - begun).toBeLessThan(2 * DAY);
    expect(await world.stagedJson(orderRef, 'status.json')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  },
);

test.each(['signatures', 'decision'] as const)(
  'people are not asked again (%s) and no document is downloaded again when a wait begins again',
  async (what) => {
    const orderRef = `asked-once-for-${what}`;
    await untilWaits(orderRef, what);
    const asked = async () =>
      (await world.items(orderRef)).filter(({ what: line }) => String(line).startsWith('Waits for'));
    const before = { asked: await asked(), reads: (await world.calls(orderRef)).filter(reading).length };
    const downloads = (await world.calls(orderRef)).filter(downloading).length;
    await letTwoDaysPass(orderRef);
    const calls = await world.calls(orderRef);
    expect(calls.filter(reading).length).toBeGreaterThan(before.reads);
    expect(calls.filter(downloading)).toHaveLength(downloads);
    expect(await asked()).toEqual(before.asked);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: what, generation: 1 });
    const callbacks = (await world.items(orderRef)).filter(({ item }) => item.startsWith('callback#'));
    expect(callbacks).toHaveLength(1);
  },
);

test('offers that change while the order waits for a decision are staged again', async () => {
  const orderRef = 'changed-offers';
  const order = await untilWaits(orderRef, 'decision');
  for (const offer of order.offers.slice(0, 1)) offer.status = 'EXPIRED';
  await letTwoDaysPass(orderRef);
  const [offer] = await world.stagedJson<{ status: string }[]>(orderRef, 'offers.json');
  expect(offer?.status).toBe('EXPIRED');
});

test('a decision whose event was lost is carried out when the wait begins again', async () => {
  const orderRef = 'lost-wake-up';
  const order = await untilWaits(orderRef, 'decision');
  const [offer] = order.offers.filter(({ status }) => status === 'AVAILABLE');
  isDelivering = false;
  await decide(world, orderRef, [{ offerId: offer?.offerId, code: offer?.creditOptions[0]?.code }]);
  await world.aws.settle();
  isDelivering = true;
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(order.confirmations).toHaveLength(1);
});
