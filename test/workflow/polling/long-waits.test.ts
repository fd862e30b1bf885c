import { defaultOffers, type SimulatedOrder } from '@business-loan-orders/order-simulator';
import { describe, expect, test } from 'vitest';
import { bringDeadline, DEADLINE } from '../../helpers/awaited.ts';
import { accepting, downloading, inject, loseRequest, reading } from '../../helpers/faults.ts';
import { choicesOf, decide } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { orderAtService } from '../../helpers/signatures.ts';
import { DAY } from '../../helpers/world.ts';

/** A wait for people ends regularly, on the laptop once a day. Then the order is read, and the wait begins again. */
const world = await openWorld({ settings: { bankSeconds: 5 } });
const { settings } = world.simulator;

async function unheard(act: () => Promise<void>): Promise<void> {
  world.wrappers.deliveryWrapper = (event, deliver) => {
    if (event['detail-type'] !== 'Object Created') deliver();
  };
  await act();
  await world.aws.settle();
  world.wrappers.deliveryWrapper = undefined;
}

async function untilWaits(orderRef: string, what: 'signatures' | 'decision'): Promise<SimulatedOrder> {
  const way =
    what === 'decision'
      ? { ...OFFERS_AT_ONCE, offers: defaultOffers }
      : { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, closeWithoutConfirmationSeconds: 5 };
  Object.assign(settings, way);
  await world.submit(orderRef, { offers: { choose: 'manual' } });
  await world.until(orderRef, ({ waitingFor }) => waitingFor === what, { signing: what !== 'signatures' });
  return orderAtService(world, orderRef);
}

async function putDecision(orderRef: string, order: SimulatedOrder): Promise<void> {
  await decide(world, orderRef, choicesOf(order).slice(0, 1));
}

async function waitOn(orderRef: string, what: 'signatures' | 'decision'): Promise<void> {
  const asked = async () => (await world.told(orderRef)).filter((line) => String(line.what).startsWith('Waits for'));
  const before = { asked: await asked(), reads: (await world.calls(orderRef, reading)).length };
  const downloads = await world.calls(orderRef, downloading);
  await world.pass(2 * DAY);
  expect((await world.calls(orderRef, reading)).length).toBeGreaterThan(before.reads);
  expect(await world.calls(orderRef, downloading)).toEqual(downloads);
  expect(await asked()).toEqual(before.asked);
  expect(await world.record(orderRef)).toMatchObject({ waitingFor: what, generation: 1 });
  const callbacks = (await world.items(orderRef)).filter(({ item }) => item.startsWith('callback#'));
  expect(callbacks).toHaveLength(1);
}

test('when the wait for a decision begins again, nobody is asked again, changed offers are staged, and a decision whose event was lost is carried out', async () => {
  const orderRef = 'lost-wake-up';
  const order = await untilWaits(orderRef, 'decision');
  for (const offer of order.offers.slice(0, 1)) offer.status = 'EXPIRED';
  await waitOn(orderRef, 'decision');
  const [offer] = await world.stagedJson<{ status: string }[]>(orderRef, 'offers.json');
  expect(offer?.status).toBe('EXPIRED');
  await unheard(() => putDecision(orderRef, order));
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(order.confirmations).toHaveLength(1);
});

test('a decision is carried out at once, even if the service asked for a long wait', async () => {
  const orderRef = 'heard-at-once';
  world.simulator.hooks.before = async (call) => {
    const atOffers = world.simulator.order(call.orderId ?? '')?.status === 'OFFERS_AVAILABLE';
    if (reading(call) && atOffers) settings.pollAfterSeconds = 48 * 3_600;
  };
  const order = await untilWaits(orderRef, 'decision');
  await world.pass(1.5 * DAY);
  await putDecision(orderRef, order);
  await world.aws.settle();
  expect(order.confirmations).toHaveLength(1);
});

describe('at the deadline of a wait for people', () => {
  test('nobody is told that a decision is late before the deadline, or more than minutes after it, and a retry waits again', async () => {
    const orderRef = 'late-decision';
    await untilWaits(orderRef, 'decision');
    await bringDeadline(world, orderRef);
    const since = Date.parse((await world.record(orderRef))?.awaited?.since ?? '');
    // The service asks for waits that do not end at the deadline.
    settings.pollAfterSeconds = 200 * 3_600;
    expect(await world.untilEnd(orderRef)).toMatchObject({ failure: { error: 'DecisionOverdue' } });
    // Functions see some milliseconds pass in which the world's clock stands still.
    expect(world.clock.now() - since).toBeGreaterThan(DEADLINE - 1_000);
    expect(world.clock.now() - since).toBeLessThanOrEqual(DEADLINE + 2 * 180_000);
    settings.pollAfterSeconds = 2;
    await world.startNext(orderRef);
    await world.until(orderRef, ({ waitingFor }) => waitingFor === 'decision');
    expect(await world.record(orderRef)).not.toHaveProperty('failure');
    await putDecision(orderRef, await orderAtService(world, orderRef));
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 2 });
  });

  test('signatures that arrived in time are sent and not overdue, although their events were lost and their accept must be repeated', async () => {
    const orderRef = 'unheard-signatures';
    await untilWaits(orderRef, 'signatures');
    await waitOn(orderRef, 'signatures');
    await bringDeadline(world, orderRef);
    // All of these weeks but the last two days are in the record only.
    await world.pass(2 * DAY - 2_000);
    await unheard(() => world.sign());
    expect(await world.record(orderRef)).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', waitingFor: 'signatures' });
    inject(world.simulator, 'before', accepting, loseRequest);
    const order = await world.until(orderRef, ({ status, failure }) => status === 'OFFERS_AVAILABLE' || !!failure);
    expect(order).not.toHaveProperty('failure');
    expect(await world.calls(orderRef, accepting)).toHaveLength(2);
  });
});
