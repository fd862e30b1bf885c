import { afterEach, expect, test } from 'vitest';
import { eventSchemas } from '../../../core/events/event-schemas.ts';
import { commandsIn, inItsTime } from '../../helpers/commands-in.ts';
import { answer, creating, inject, reading, type ServiceFault, uploading } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE, openWorld, runSweep, SLOWER_SERVICE } from '../../helpers/open-world.ts';
import { orderPackage, type PackageOptions, secretWords } from '../../helpers/packages.ts';
import { linesOf, listenToEvents } from '../../helpers/told-events.ts';

const HOUR = 3_600_000;

const world = await openWorld({ settings: { ...SLOWER_SERVICE, documentsToSign: 2 } });
const told = listenToEvents(world);
const { done } = commandsIn(world);

afterEach(() => {
  const all = told.splice(0);
  expect(new Set(all.map(({ detail }) => detail.id)).size).toBe(all.length);
  for (const { type, source, time, detail } of all) {
    const schema = eventSchemas[type as keyof typeof eventSchemas];
    expect(schema.parse(detail)).toEqual(detail);
    expect([source, time]).toEqual(['loan-orders', String(detail.at).replace(/\.\d+Z$/, 'Z')]);
  }
  expect(JSON.stringify(orderPackage())).toContain(secretWords.company);
  for (const word of Object.values(secretWords)) expect(JSON.stringify(all)).not.toContain(word);
});

/** Uploads a package so that one upload alone starts its order. If two race, both may send the first event (`core/staging/send-outbox.ts`). */
async function submitSlowly(orderRef: string, options: PackageOptions = {}): Promise<void> {
  const content = orderPackage(options);
  for (const { file } of content.documents) await world.put(orderRef, file, 'bytes');
  await world.aws.settle();
  await world.put(orderRef, 'order.json', content);
}

test('each change of an order is one event, in their sequence', async () => {
  await submitSlowly('main', { documents: ['charter.pdf'] });
  await world.untilEnd('main');
  expect(linesOf(told, 'main')).toEqual([
    '1 Order Status Changed RECEIVED',
    '2 Order Status Changed IN_WORK',
    '3 Order Status Changed WAITING_FOR_DOCUMENTS',
    '4 Order Status Changed IN_WORK',
    '5 Order Status Changed WAITING_FOR_SIGNATURE',
    '6 Signatures Requested',
    '7 Order Status Changed IN_WORK',
    '8 Order Status Changed OFFERS_AVAILABLE',
    '9 Order Status Changed OFFERS_APPROVED',
    '10 Order Status Changed CLOSED',
    '11 Order Ended CLOSED',
  ]);
  const order = await world.record('main');
  expect(order?.eventCount).toBe(11);
  for (const name of ['unsentEvents', 'unsent', 'unsentSince']) expect(order).not.toHaveProperty(name);
});

test('people who are to decide are told of once, and an order that fails validation ends', async () => {
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submitSlowly('manual', { offers: { choose: 'manual' } });
  await world.until('manual', ({ waitingFor }) => waitingFor === 'decision');
  expect(linesOf(told, 'manual').slice(-2)).toEqual([
    '3 Order Status Changed OFFERS_AVAILABLE',
    '4 Decision Requested',
  ]);
  await submitSlowly('invalid', { scenario: 'validation-fails-at-once' });
  const failure = { error: 'ValidationFailed' };
  const ended = { status: 'VALIDATION_FAILED', waitingFor: 'nobody', failure };
  expect(await world.untilEnd('invalid')).toMatchObject(ended);
  expect((await world.stagedJson<unknown[]>('invalid', 'issues.json')).length).toBeGreaterThan(0);
  expect(await world.executions('invalid')).toMatchObject([{ status: 'FAILED' }]);
  expect(await world.calls('invalid', uploading)).toEqual([]);
  expect(
    linesOf(told, 'invalid')
      .slice(-2)
      .map((line) => line.replace(/^\d+ /, '')),
  ).toEqual(['Order Status Changed VALIDATION_FAILED', 'Order Ended VALIDATION_FAILED']);
});

test('an outage is told with the time when the order goes on, and so is that it went on by itself', async () => {
  const over = world.clock.now() + HOUR / 2;
  const down: ServiceFault = answer(503);
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && world.clock.now() < over) await down(call, request, reply);
  };
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  await submitSlowly('outage');
  const { resume } = await world.until('outage', ({ failure }) => failure !== undefined);
  const failed = told.find(({ type, detail }) => type === 'Order Failed' && detail.orderRef === 'outage');
  expect(failed?.detail).toMatchObject({ orderRef: 'outage', waitingFor: 'service', resumesAt: resume?.at });
  world.clock.advanceTo(over + HOUR);
  await runSweep(world);
  await world.untilEnd('outage');
  expect(linesOf(told, 'outage').slice(1, 3)).toEqual([
    '2 Order Failed ServiceUnavailable',
    '3 Order Resumed ServiceUnavailable',
  ]);
  expect(told.find(({ type }) => type === 'Order Resumed')?.detail).toMatchObject({ automatic: true, generation: 2 });
});

test('an order that waits for an operator is told of, that it was dismissed by the next sweep, and that it was retried', async () => {
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  inject(world.simulator, 'before', creating, answer(400));
  await submitSlowly('refused');
  await world.untilEnd('refused');
  const last = () => told.filter(({ detail }) => detail.orderRef === 'refused').at(-1);
  expect(last()).toMatchObject({ type: 'Order Failed', detail: { error: 'Rejected', waitingFor: 'operator' } });
  await inItsTime(world, () => done('dismiss', 'refused', '--reason', 'The customer chose another bank'));
  expect(last()?.type).toBe('Order Failed');
  world.clock.advanceTo(world.clock.now() + HOUR);
  expect(await runSweep(world)).toMatchObject({ sent: 1 });
  expect(last()).toMatchObject({ type: 'Order Ended', detail: { end: 'DISMISSED', sequence: 3 } });
  await done('retry', 'refused');
  await world.untilEnd('refused');
  expect(told.find(({ detail }) => detail.orderRef === 'refused' && detail.sequence === 4)).toMatchObject({
    type: 'Order Resumed',
    detail: { automatic: false, generation: 2 },
  });
});

test('each version of a package or file that is rejected is told of once, and names no file', async () => {
  await world.putAndSettle('broken', 'order.json', '{}');
  await world.put('broken', 'documents/charter.pdf', 'charter');
  await world.putAndSettle('broken', 'passport-of-a-person.pdf', 'passport');
  const rejected = told.filter(({ detail }) => detail.orderRef === 'broken');
  expect(rejected.map(({ type, detail }) => [type, detail.kind])).toEqual([
    ['Upload Rejected', 'package'],
    ['Upload Rejected', 'upload'],
  ]);
  expect(JSON.stringify(rejected)).not.toContain('passport');
  await world.putAndSettle('broken', 'order.json', '[]');
  expect(told.filter(({ detail }) => detail.orderRef === 'broken')).toHaveLength(3);
  expect(await world.items('#outbox')).toEqual([]);
});
