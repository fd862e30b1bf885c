import type { SimulatedOrder } from '@business-loan-orders/order-simulator';
import { defaultOffers } from '@business-loan-orders/order-simulator';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bringDeadline, DEADLINE } from '../../helpers/awaited.ts';
import { accepting, downloading, inject, loseRequest, reading } from '../../helpers/faults.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

/** A wait for people ends regularly, on the laptop once a day. Then the order is read, and the wait begins again. */
let isDelivering = true;
const world = await openWorld({
  settings: { bankSeconds: 5 },
  // A describe looks at one order in several tests.
  ordersGoOn: true,
  deliveryWrapper: (event, deliver) => {
    if (isDelivering || event['detail-type'] !== 'Object Created') deliver();
  },
});

const { settings } = world.simulator;
const usual = settings.pollAfterSeconds;

afterEach(() => {
  settings.pollAfterSeconds = usual;
});

const waitsFor = (what: string) => (order: { waitingFor: string }) => order.waitingFor === what;

/** Submits an order, and lets time pass until it waits for `what`. Returns the order at the service. */
async function untilWaits(orderRef: string, what: 'signatures' | 'decision'): Promise<SimulatedOrder> {
  const way =
    what === 'decision'
      ? { ...OFFERS_AT_ONCE, offers: defaultOffers }
      : { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, closeWithoutConfirmationSeconds: 5 };
  Object.assign(settings, way);
  await submit(world, orderRef, { offers: { choose: 'manual' } });
  const { orderId = '' } = await world.until(orderRef, waitsFor(what), { signing: what !== 'signatures' });
  const order = world.simulator.order(orderId);
  if (!order) throw new Error(`The service has no order ${orderId}.`);
  return order;
}

async function putDecision(orderRef: string, order: SimulatedOrder): Promise<void> {
  const { offerId, creditOptions } = order.offers.find(({ status }) => status === 'AVAILABLE') ?? {};
  await world.put(orderRef, 'decision.json', { choices: [{ offerId, code: creditOptions?.[0]?.code }] });
}

/** Lets time pass while the order waits for people. */
async function letDaysPass(orderRef: string, days: number): Promise<void> {
  const until = world.clock.now() + days * DAY;
  await world.until(orderRef, () => world.clock.now() >= until, { signing: false });
}

describe.each(['signatures', 'decision'] as const)('an order that waits for people (%s)', (what) => {
  const orderRef = `waits-for-${what}`;
  beforeAll(async () => {
    await untilWaits(orderRef, what);
  });
  afterAll(() => world.aws.discardExecutions());

  test('does not ask them again, and downloads no document again, when the wait begins again', async () => {
    const asked = async () =>
      (await world.items(orderRef)).filter(({ what: line }) => String(line).startsWith('Waits for'));
    const before = { asked: await asked(), reads: (await world.calls(orderRef)).filter(reading).length };
    const downloads = (await world.calls(orderRef)).filter(downloading).length;
    await letDaysPass(orderRef, 2);
    const calls = await world.calls(orderRef);
    expect(calls.filter(reading).length).toBeGreaterThan(before.reads);
    expect(calls.filter(downloading)).toHaveLength(downloads);
    expect(await asked()).toEqual(before.asked);
    expect(await world.record(orderRef)).toMatchObject({ waitingFor: what, generation: 1 });
    const callbacks = (await world.items(orderRef)).filter(({ item }) => item.startsWith('callback#'));
    expect(callbacks).toHaveLength(1);
  });
});

test('when the wait for a decision begins again, changed offers are staged and a decision whose event was lost is carried out', async () => {
  const orderRef = 'lost-wake-up';
  const order = await untilWaits(orderRef, 'decision');
  for (const offer of order.offers.slice(0, 1)) offer.status = 'EXPIRED';
  await letDaysPass(orderRef, 1.1);
  const [offer] = await world.stagedJson<{ status: string }[]>(orderRef, 'offers.json');
  expect(offer?.status).toBe('EXPIRED');
  isDelivering = false;
  await putDecision(orderRef, order);
  await world.aws.settle();
  isDelivering = true;
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(order.confirmations).toHaveLength(1);
  world.aws.discardExecutions();
});

/** The service asks for this wait once the order has this status. */
function askFor(hours: number, status: string): void {
  world.simulator.hooks.before = async (call) => {
    const order = world.simulator.order(call.orderId ?? '');
    if (reading(call) && order?.status === status) settings.pollAfterSeconds = hours * 3_600;
  };
}

describe.each([
  { what: 'signatures', status: 'WAITING_FOR_SIGNATURE', unusual: [30] },
  { what: 'decision', status: 'OFFERS_AVAILABLE', unusual: [30, 50] },
] as const)('an order that waits for people ($what in $status)', ({ what, status, unusual }) => {
  const orderRef = `read-late-for-${what}`;

  beforeAll(async () => {
    askFor(48, status);
    await untilWaits(orderRef, what);
  });
  afterAll(() => world.aws.discardExecutions());

  test.each(unusual)(
    'is read when the service asks, although %i hours are no multiple of waitRecheckHours',
    async (hours) => {
      askFor(hours, status);
      // The wait before may be the longest, and the next four reads ask for these hours.
      await letDaysPass(orderRef, 2 + (3.2 * hours) / 24);
      const reads = (await world.calls(orderRef)).filter((call) => reading(call)).map(({ at }) => at);
      const late = reads.slice(1).map((at, index) => (at - (reads[index] ?? 0)) / 1000 - hours * 3_600);
      const inThisStatus = late.slice(-3);
      expect(Math.min(...inThisStatus)).toBeGreaterThanOrEqual(0);
      // The shortest wait for people, and two seconds for clocks that differ.
      expect(Math.max(...inThisStatus)).toBeLessThanOrEqual(182);
    },
  );
});

test('a decision is carried out at once, even if the service asked for a long wait', async () => {
  const orderRef = 'heard-at-once';
  askFor(48, 'OFFERS_AVAILABLE');
  const order = await untilWaits(orderRef, 'decision');
  await letDaysPass(orderRef, 1.5);
  await putDecision(orderRef, order);
  await world.aws.settle();
  expect(order.confirmations).toHaveLength(1);
  world.aws.discardExecutions();
});

describe('at the deadline of a wait for people', () => {
  /** Lets time pass until shortly before the order's deadline. All of these weeks but the last two days are in the record only. */
  async function untilJustBefore(orderRef: string, milliseconds: number): Promise<void> {
    const until = world.clock.now() + 2 * DAY - milliseconds;
    await bringDeadline(world, orderRef);
    // Time passes in steps, so that the order is not read at the deadline itself.
    while (world.clock.now() < until) {
      world.clock.advanceTo(Math.min(until, world.clock.now() + 3_600_000));
      await world.aws.settle();
    }
  }

  afterEach(() => {
    isDelivering = true;
    world.aws.discardExecutions();
  });

  test('nobody is told that a decision is late before the deadline, or more than minutes after it', async () => {
    const orderRef = 'late-decision';
    await untilWaits(orderRef, 'decision');
    const since = Date.parse((await world.record(orderRef))?.awaited?.since ?? '');
    // The service asks for waits that do not end at the deadline.
    settings.pollAfterSeconds = 200 * 3_600;
    expect(await world.untilEnd(orderRef)).toMatchObject({ failure: { error: 'DecisionOverdue' } });
    // Functions see some milliseconds pass in which the world's clock stands still.
    expect(world.clock.now() - since).toBeGreaterThan(DEADLINE - 1_000);
    expect(world.clock.now() - since).toBeLessThanOrEqual(DEADLINE + 2 * 180_000);
  });

  test('signatures that arrived in time are sent, although their events were lost', async () => {
    const orderRef = 'unheard-signatures';
    await untilWaits(orderRef, 'signatures');
    await untilJustBefore(orderRef, 3_600_000);
    isDelivering = false;
    await world.sign();
    await world.aws.settle();
    isDelivering = true;
    expect(await world.record(orderRef)).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', waitingFor: 'signatures' });
    const order = await world.until(orderRef, ({ status, failure }) => status === 'OFFERS_AVAILABLE' || !!failure);
    expect(order).not.toHaveProperty('failure');
  });

  test('signatures that were all sent are not overdue when their accept must be repeated', async () => {
    const orderRef = 'accept-repeated';
    await untilWaits(orderRef, 'signatures');
    await untilJustBefore(orderRef, 2_000);
    inject(world.simulator, 'before', accepting, loseRequest);
    const order = await world.until(orderRef, ({ status, failure }) => status === 'OFFERS_AVAILABLE' || !!failure);
    expect(order).not.toHaveProperty('failure');
    expect((await world.calls(orderRef)).filter(accepting)).toHaveLength(2);
  });

  test('the time starts again for offers that were withdrawn and made again', async () => {
    const orderRef = 'offers-again';
    const order = await untilWaits(orderRef, 'decision');
    settings.pollAfterSeconds = (10 * DAY) / 1000;
    const due = { status: 'OFFERS_AVAILABLE' as const, at: world.clock.now() + DEADLINE + 10 * DAY };
    order.progress = { ...order.progress, status: 'IN_WORK', due };
    await world.until(orderRef, ({ status }) => status === 'IN_WORK');
    const stops = ({ waitingFor }: { waitingFor: string }) => waitingFor !== 'service';
    expect(await world.until(orderRef, stops)).toMatchObject({ status: 'OFFERS_AVAILABLE', waitingFor: 'decision' });
    const again = world.clock.now();
    expect(await world.untilEnd(orderRef)).toMatchObject({ failure: { error: 'DecisionOverdue' } });
    expect(world.clock.now() - again).toBeGreaterThanOrEqual(DEADLINE);
  });
});
