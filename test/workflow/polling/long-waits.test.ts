import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import type { SimulatedOrder } from '../../../simulator/index.ts';
import { accepting, downloading, inject, loseRequest, reading } from '../../helpers/faults.ts';
import { closeAtNextRead, OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY, SLOWER_SERVICE } from '../../helpers/world.ts';

/** A wait for people ends regularly, on the laptop once a day. Then the order is read, and the wait begins again. */
let isDelivering = true;
const world = await openWorld({
  settings: SLOWER_SERVICE,
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
  Object.assign(settings, what === 'decision' ? OFFERS_AT_ONCE : SIGNATURES_AT_ONCE);
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
  isDelivering = false;
  await putDecision(orderRef, order);
  await world.aws.settle();
  isDelivering = true;
  await world.until(orderRef, ({ status }) => status === 'OFFERS_APPROVED');
  expect(order.confirmations).toHaveLength(1);
});

/** The service asks for a wait of two days once the order has this status. */
function askForTwoDays(status: string): void {
  askFor((2 * DAY) / 1000, status);
}

function askFor(seconds: number, status: string): void {
  world.simulator.hooks.before = async (call) => {
    const order = world.simulator.order(call.orderId ?? '');
    if (reading(call) && order?.status === status) settings.pollAfterSeconds = seconds;
  };
}

test.each([
  ['signatures', 'WAITING_FOR_SIGNATURE'],
  ['decision', 'OFFERS_AVAILABLE'],
] as const)('an order that waits for people (%s) is read no earlier than the service asks', async (what, status) => {
  const orderRef = `read-late-for-${what}`;
  askForTwoDays(status);
  await untilWaits(orderRef, what);
  const until = world.clock.now() + 5 * DAY;
  await world.until(orderRef, () => world.clock.now() >= until, { signing: false });
  const reads = (await world.calls(orderRef)).filter((call) => reading(call) && call.at > until - 5 * DAY);
  expect(reads.length).toBeGreaterThan(0);
  expect(reads.filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
});

test.each([
  ['signatures', 'WAITING_FOR_SIGNATURE', 30],
  ['decision', 'OFFERS_AVAILABLE', 30],
  ['decision', 'OFFERS_AVAILABLE', 50],
] as const)(
  'an order that waits for people (%s in %s) is read when the service asks, although %i hours are no multiple of waitRecheckHours',
  async (what, status, hours) => {
    const orderRef = `read-in-time-for-${what}-${hours}`;
    askFor(hours * 3_600, status);
    await untilWaits(orderRef, what);
    const begun = world.clock.now();
    await world.until(orderRef, () => world.clock.now() >= begun + 10 * DAY, { signing: false });
    const reads = (await world.calls(orderRef)).filter((call) => reading(call)).map(({ at }) => at);
    const late = reads.slice(1).map((at, index) => (at - (reads[index] ?? 0)) / 1000 - hours * 3_600);
    const inThisStatus = late.slice(-3);
    expect(Math.min(...inThisStatus)).toBeGreaterThanOrEqual(0);
    // The shortest wait for people, and two seconds for clocks that differ.
    expect(Math.max(...inThisStatus)).toBeLessThanOrEqual(182);
  },
);

test('a decision is carried out at once, even if the service asked for a long wait', async () => {
  const orderRef = 'heard-at-once';
  askForTwoDays('OFFERS_AVAILABLE');
  const order = await untilWaits(orderRef, 'decision');
  const until = world.clock.now() + 1.5 * DAY;
  await world.until(orderRef, () => world.clock.now() >= until, { signing: false });
  await putDecision(orderRef, order);
  await world.aws.settle();
  expect(order.confirmations).toHaveLength(1);
});

describe('at the deadline of a wait for people', () => {
  const DEADLINE = 30 * DAY;
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.directClientSettings));

  /** Lets time pass until shortly before the order's deadline. All of these weeks but the last two days are in the record only. */
  async function untilJustBefore(orderRef: string, milliseconds: number): Promise<void> {
    const until = world.clock.now() + 2 * DAY - milliseconds;
    await dynamodb.send(
      new UpdateCommand({
        TableName: world.outputs.OrderTable,
        Key: { orderRef, item: 'order' },
        UpdateExpression: 'SET awaited.since = :since',
        ExpressionAttributeValues: { ':since': new Date(world.clock.now() + 2 * DAY - DEADLINE).toISOString() },
      }),
    );
    // Time passes in steps, so that the order is not read at the deadline itself.
    while (world.clock.now() < until) {
      world.clock.advanceTo(Math.min(until, world.clock.now() + 3_600_000));
      await world.aws.settle();
    }
  }

  afterEach(() => {
    isDelivering = true;
  });

  test('nobody is told that a decision is late before the deadline, or more than minutes after it', async () => {
    const orderRef = 'late-decision';
    await untilWaits(orderRef, 'decision');
    const since = Date.parse((await world.record(orderRef))?.awaited?.since ?? '');
    // The service asks for waits that do not end at the deadline.
    settings.pollAfterSeconds = 50 * 3_600;
    expect(await world.untilEnd(orderRef)).toMatchObject({ failure: { error: 'DecisionOverdue' } });
    expect(world.clock.now() - since).toBeGreaterThanOrEqual(DEADLINE);
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

  test('a decision that arrived in time is carried out, although its event was lost', async () => {
    const orderRef = 'unheard-decision';
    const order = await untilWaits(orderRef, 'decision');
    await untilJustBefore(orderRef, 3_600_000);
    isDelivering = false;
    await putDecision(orderRef, order);
    await world.aws.settle();
    isDelivering = true;
    expect(order.confirmations).toHaveLength(0);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
    expect(order.confirmations).toHaveLength(1);
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
    settings.pollAfterSeconds = DAY / 1000;
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
