import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { beforeEach, expect, test } from 'vitest';
import type { StoredEvent } from '../../../core/events/order-event.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { answer, creating, inject, loseAnswer, reading, uploading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { choiceStates } from '../../helpers/offers.ts';
import { NO_OFFERS, OFFERS_AT_ONCE, openWorld, runSweep, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { secretWords } from '../../helpers/packages.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { DAY } from '../../helpers/world.ts';

const MINUTE = 60_000;

const world = await openWorld();
beforeEach(() => world.forget());

const refuse = (isRefused: (detail: { orderRef?: string; sequence?: number }) => boolean) => {
  world.wrappers.entryRefusal = ({ detail }) => (isRefused(detail) ? 'InternalFailure' : undefined);
};
const repairBus = () => Object.assign(world.wrappers, { requestWrapper: undefined, entryRefusal: undefined });

const told = listenToEvents(world);
const sequences = (orderRef: string) =>
  told.filter(({ detail }) => detail.orderRef === orderRef).map(({ detail }) => detail.sequence);

async function leaveEvents(orderRef: string, count: number, since = world.clock.now() - 2 * MINUTE): Promise<void> {
  const at = new Date(since).toISOString();
  const unsentEvents = Array.from({ length: count }, (_, index): StoredEvent => {
    const sequence = index + 1;
    const detail = { version: 1, id: `${orderRef}/${sequence}`, at, orderRef, sequence, status: `STATUS_${sequence}` };
    return { type: 'Order Status Changed', detail };
  });
  const outbox = { eventCount: count, unsentEvents, unsent: 'events', unsentSince: at };
  await world.rewrite(orderRef, { status: 'CLOSED', ...outbox });
}

const left = async (orderRef: string) => {
  const { unsentEvents } = (await world.record(orderRef)) as OrderItem;
  return unsentEvents?.map(({ detail }) => detail.sequence);
};
const { latest } = watchMetrics(world);
const behind = () => latest('EventsBehindSeconds');

test('events that are refused for ever do not keep the sweep from sending younger ones', async () => {
  const refused = Array.from({ length: 25 }, (_, index) => `refused-${index}`);
  const young = ['young-1', 'young-2'];
  for (const orderRef of refused) await leaveEvents(orderRef, 1, world.clock.now() - 10 * MINUTE);
  for (const orderRef of young) await leaveEvents(orderRef, 1);
  refuse(({ orderRef = '' }) => orderRef.startsWith('refused-'));
  expect(await runSweep(world)).toMatchObject({ sent: 2 });
  expect(young.flatMap(sequences)).toEqual([1, 1]);
  expect(behind()).toBeGreaterThanOrEqual(600);
  repairBus();
  expect(await runSweep(world)).toMatchObject({ sent: 25 });
  expect(behind()).toBe(0);
});

test('a sweep asks a bus that takes nothing for 30 outboxes, and leaves the others to the next sweep', async () => {
  const orderRefs = Array.from({ length: 35 }, (_, index) => `closed-bus-${index}`);
  for (const orderRef of orderRefs) await leaveEvents(orderRef, 1);
  const asked = new Set<string | undefined>();
  world.wrappers.requestWrapper = async ({ operation, body }) => {
    if (operation !== 'PutEvents') return undefined;
    asked.add(/closed-bus-\d+/.exec(body)?.[0]);
    return { status: 400, code: 'AccessDeniedException' };
  };
  expect(await runSweep(world)).toMatchObject({ sent: 0 });
  expect(asked.size).toBe(30);
  repairBus();
  expect(await runSweep(world)).toMatchObject({ sent: 35 });
});

test('events that left with a reduced record while they were sent do not come back into it', async () => {
  await leaveEvents('reduced-meanwhile', 2);
  refuse(({ sequence }) => sequence === 1);
  const gone = { unsentEvents: undefined, unsent: undefined, unsentSince: undefined };
  world.wrappers.requestWrapper = async ({ operation }) => {
    if (operation === 'PutEvents') await world.rewrite('reduced-meanwhile', gone);
    return undefined;
  };
  await runSweep(world);
  expect(await left('reduced-meanwhile')).toBeUndefined();
  repairBus();
  await runSweep(world);
  expect(sequences('reduced-meanwhile')).toEqual([2]);
});

test('events that are unsent when the record is reduced are not told, and nothing waits for them', async () => {
  refuse(() => true);
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE, NO_OFFERS);
  const { eventCount } = await world.submitToEnd('reduced');
  world.clock.advanceTo(world.clock.now() + 91 * DAY);
  expect(await runSweep(world)).toMatchObject({ emptied: 1, sent: 0 });
  expect(behind()).toBeGreaterThan(90 * 86_400);
  world.clock.advanceTo(world.clock.now() + 366 * DAY);
  expect(await runSweep(world)).toMatchObject({ reduced: 1, sent: 0 });
  repairBus();
  expect(await runSweep(world)).toMatchObject({ sent: 0, failed: 0, notRemoved: 0 });
  expect(behind()).toBe(0);
  expect(sequences('reduced')).toEqual([]);
  expect(await world.record('reduced')).toMatchObject({ status: 'CLOSED', eventCount });
  expect(eventCount).toBeGreaterThan(1);
});

const publishes = ({ service, operation, path }: AwsRequest, name = 'status.json') =>
  service === 'S3' && operation === 'PUT' && path.includes(`/${name}`);

const page = (orderRef: string) =>
  world.stagedJson<{ status: string; waitingFor: string } | null>(orderRef, 'status.json');

test('pages that cannot be published stop no order, and the next sweep publishes them', async () => {
  const pages = ['status.json', 'choices.json'];
  world.wrappers.requestWrapper = async (request) =>
    pages.some((name) => publishes(request, name)) ? { status: 403, code: 'AccessDenied' } : undefined;
  Object.assign(world.simulator.settings, OFFERS_AT_ONCE);
  expect((await world.submitToEnd('denied')).unpublished?.toSorted()).toEqual(pages.toSorted());
  for (const name of pages) expect(await world.stagedJson('denied', name)).toBeNull();
  world.wrappers.requestWrapper = undefined;
  world.clock.advanceTo(world.clock.now() + 120_000);
  expect(await runSweep(world)).toMatchObject({ sent: 1 });
  expect(await page('denied')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
  expect(await choiceStates(world, 'denied')).toEqual(['confirmed', 'confirmed']);
  expect(await world.record('denied')).not.toHaveProperty('unsent');
});

test('a page that was left, or whose function ends before the record knows of it, is published with the next change', async () => {
  let [unpublished, unrecorded] = [1, 3];
  world.wrappers.requestWrapper = async (request) => {
    if (publishes(request) && unpublished > 0) {
      unpublished -= 1;
      return { status: 403, code: 'AccessDenied' };
    }
    if (request.operation !== 'UpdateItem' || !request.body.includes('#published') || unrecorded === 0)
      return undefined;
    unrecorded -= 1;
    return { status: 400, code: 'AccessDeniedException' };
  };
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  await world.submitToSign('left');
  expect(await page('left')).toMatchObject({ status: 'WAITING_FOR_SIGNATURE', waitingFor: 'signatures' });
  await world.untilEnd('left');
  expect([unpublished, unrecorded]).toEqual([0, 0]);
  expect(await page('left')).toMatchObject({ status: 'CLOSED', waitingFor: 'nobody' });
});

test('a slow function does not replace the page of a later change', async () => {
  const later = Promise.withResolvers<void>();
  const stopWatching = world.aws.watch((change) => {
    if (isHeld && change.type === 'object' && change.key === 'orders/slow/status.json') later.resolve();
  });
  let isHeld = false;
  world.wrappers.requestWrapper = async (request) => {
    if (!publishes(request) || !request.path.includes('/slow/') || isHeld) return undefined;
    if ((await world.record('slow'))?.waitingFor !== 'signatures') return undefined;
    // The page that says so is held until the page says that the execution was stopped.
    isHeld = true;
    await world.stop('slow');
    await later.promise;
    return undefined;
  };
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE, NO_OFFERS);
  await world.submitUntil('slow', ({ waitingFor }) => waitingFor === 'operator', {}, { signing: false });
  await world.aws.settle();
  stopWatching();
  expect(isHeld).toBe(true);
  expect(await page('slow')).toMatchObject({ waitingFor: 'operator', failure: { error: 'AbortedByOperator' } });
});

const DIMENSIONS = ['stage', 'call', 'outcome', 'cause', 'end', 'error', 'waitingFor', 'status', 'finding'];

function expectAnonymous(metrics: ReturnType<typeof watchMetrics>, ...orderRefs: string[]): void {
  const lines = metrics.lines();
  expect(lines.length).toBeGreaterThan(10);
  const orderIds = world.simulator.orders().map(({ orderId }) => orderId);
  const words = [...orderRefs, ...orderIds, ...Object.values(secretWords), 'charter', 'Bearer'];
  for (const { line } of lines) {
    const { _aws, ...members } = JSON.parse(line);
    expect(members.stage).toBe('local');
    expect(_aws.CloudWatchMetrics).toMatchObject([{ Namespace: 'LoanOrders', Metrics: [{}] }]);
    for (const [first] of _aws.CloudWatchMetrics[0].Dimensions) expect(first).toBe('stage');
    const others = Object.keys(members).filter((member) => !DIMENSIONS.includes(member));
    expect(others).toEqual([expect.stringMatching(/^[A-Z][A-Za-z]+$/)]);
    expect(words.filter((word) => line.includes(word))).toEqual([]);
  }
}

test('an order without a fault counts every call with its kind, outcome and latency, one start, one end and one token request', async () => {
  // No function has a token.
  await world.forget();
  const metrics = watchMetrics(world);
  await world.submit('counted', { documents: ['charter.pdf', 'balance.pdf'] });
  expect(await world.untilEnd('counted')).toMatchObject({ status: 'CLOSED' });
  const calls = await world.calls('counted');
  const reads = calls.filter(reading).length;
  const counted = (call: string) => metrics.values('CallLatency', { call, outcome: 'Success' }).length;
  expect({
    created: counted('Create order'),
    reads: counted('Read order'),
    documents: counted('Upload document'),
    accepted: counted('Accept order'),
    downloads: counted('Download document'),
    signatures: counted('Upload signature'),
    confirms: counted('Confirm offer'),
  }).toEqual({ created: 1, reads, documents: 2, accepted: 2, downloads: 2, signatures: 1, confirms: 2 });
  expect(metrics.values('CallLatency')).toHaveLength(calls.length);
  expect(metrics.values('CallLatency', { outcome: 'Success' })).toHaveLength(calls.length);
  expect(metrics.total('CallsUnanswered')).toBe(0);
  expect(metrics.values('CallsUnanswered')).toHaveLength(calls.length);
  expect(metrics.values('CallLatency').every((milliseconds) => milliseconds > 0)).toBe(true);
  expect(metrics.values('OrdersStarted')).toEqual([1]);
  expect(metrics.values('OrdersEnded', { end: 'CLOSED' })).toEqual([1]);
  expect(metrics.values('TokenRequestLatency', { outcome: 'Success' })).toHaveLength(1);
  const names = metrics.published().map(({ name }) => name);
  for (const name of ['CallsSentAgain', 'OrdersInterrupted']) expect(names).not.toContain(name);
  expectAnonymous(metrics, 'counted');
});

test('calls that are sent again are counted with their cause', async () => {
  const metrics = watchMetrics(world);
  inject(world.simulator, 'before', creating, answer(429, {}, { 'retry-after': '1' }));
  inject(world.simulator, 'after', uploading, loseAnswer);
  await world.submitUntil('again', ({ orderId }) => orderId !== undefined);
  expect(metrics.values('CallsSentAgain', { cause: 'NotDone' })).toEqual([1]);
  inject(world.simulator, 'before', reading, answer(401));
  await world.until('again', ({ status }) => status === 'WAITING_FOR_SIGNATURE', { signing: false });
  expect(metrics.values('CallLatency', { call: 'Upload document', outcome: 'OutcomeUnknown' })).toHaveLength(1);
  expect(metrics.values('CallsSentAgain', { cause: 'OutcomeUnknown' })).toEqual([1]);
  expect(metrics.values('CallsSentAgain', { cause: 'TokenRefused' })).toEqual([1]);
  expectAnonymous(metrics, 'again');
});

test('business ends are counted by their status, and ends that need a person by the class of their error', async () => {
  const metrics = watchMetrics(world);
  await world.submit('invalid', { scenario: 'validation-fails-at-once' });
  expect(await world.untilEnd('invalid')).toMatchObject({ status: 'VALIDATION_FAILED' });
  inject(world.simulator, 'before', creating, answer(400));
  expect(await world.submitToEnd('refused')).toMatchObject({ failure: { error: 'Rejected' } });
  await world.submitUntil('aborted', ({ status }) => status === 'IN_WORK');
  await world.abort('aborted');
  await world.untilEnd('aborted');
  await world.aws.settle();
  const ends = metrics.published().filter(({ name }) => name === 'OrdersEnded');
  const counted = ['AbortedByOperator', 'Rejected', 'VALIDATION_FAILED'];
  expect(ends.map(({ dimensions }) => dimensions.end).sort()).toEqual(counted);
  expectAnonymous(metrics, 'invalid', 'refused', 'aborted');
});
