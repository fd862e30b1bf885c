import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AwsRequest } from '@business-loan-orders/embedded-aws';
import { afterEach, expect, test } from 'vitest';
import type { StoredEvent } from '../../../core/events/order-event.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { publishedIn, valuesOf } from '../../helpers/metrics.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { runSweep } from '../../helpers/run-sweep.ts';
import { listenToEvents } from '../../helpers/told-events.ts';
import { DAY } from '../../helpers/world.ts';

const MINUTE = 60_000;

/** What EventBridge does. Every test repairs it at its end. */
const bus: {
  isClosed?: boolean;
  refuses?: (detail: { orderRef?: string; sequence?: number }) => boolean;
  before?: (request: AwsRequest) => Promise<unknown>;
} = {};

const world = await openWorld({
  requestWrapper: async (request) => {
    if (request.operation !== 'PutEvents') return undefined;
    await bus.before?.(request);
    return bus.isClosed ? { status: 400, code: 'AccessDeniedException' } : undefined;
  },
  entryRefusal: ({ detail }) => (bus.refuses?.(detail) ? 'InternalFailure' : undefined),
});
afterEach(() => {
  for (const name of Object.keys(bus)) delete bus[name as keyof typeof bus];
});

const told = listenToEvents(world);
const sequences = (orderRef: string) =>
  told.filter(({ detail }) => detail.orderRef === orderRef).map(({ detail }) => detail.sequence);

const table = DynamoDBDocumentClient.from(new DynamoDBClient(world.aws.clientSettings));
const TableName = world.outputs.OrderTable;

/** Records an order that is over and has nothing but events that were not sent. */
async function leaveEvents(orderRef: string, count: number, since = world.clock.now() - 2 * MINUTE): Promise<void> {
  const at = new Date(since).toISOString();
  const unsentEvents = Array.from({ length: count }, (_, index): StoredEvent => {
    const sequence = index + 1;
    const detail = { version: 1, id: `${orderRef}/${sequence}`, at, orderRef, sequence, status: `STATUS_${sequence}` };
    return { type: 'Order Status Changed', detail };
  });
  const outbox = { eventCount: count, unsentEvents, unsent: 'events', unsentSince: at };
  await table.send(new PutCommand({ TableName, Item: { orderRef, item: 'order', status: 'CLOSED', ...outbox } }));
}

const left = async (orderRef: string) => {
  const { unsentEvents } = (await world.record(orderRef)) as OrderItem;
  return unsentEvents?.map(({ detail }) => detail.sequence);
};
const behind = () => valuesOf(publishedIn(world.aws.logs()), 'EventsBehindSeconds').at(-1);

test('of several events only those stay that EventBridge refused, in their order, and only they are sent again', async () => {
  await leaveEvents('some-refused', 12);
  bus.refuses = ({ sequence = 0 }) => [2, 5, 11].includes(sequence);
  expect(await runSweep(world)).toMatchObject({ told: 0 });
  expect(sequences('some-refused')).toEqual([1, 3, 4, 6, 7, 8, 9, 10, 12]);
  expect(await left('some-refused')).toEqual([2, 5, 11]);
  const warning = world.aws.logs().findLast(({ line }) => line.includes('Events were not sent'));
  expect(JSON.parse(warning?.line ?? '{}')).toMatchObject({ events: 3, error: 'InternalFailure' });
  delete bus.refuses;
  expect(await runSweep(world)).toMatchObject({ told: 1 });
  expect(sequences('some-refused').slice(9)).toEqual([2, 5, 11]);
  expect(await left('some-refused')).toBeUndefined();
});

test('events that are refused for ever do not keep the sweep from sending younger ones', async () => {
  const refused = Array.from({ length: 25 }, (_, index) => `refused-${index}`);
  const young = ['young-1', 'young-2'];
  for (const orderRef of refused) await leaveEvents(orderRef, 1, world.clock.now() - 10 * MINUTE);
  for (const orderRef of young) await leaveEvents(orderRef, 1);
  bus.refuses = ({ orderRef = '' }) => orderRef.startsWith('refused-');
  expect(await runSweep(world)).toMatchObject({ told: 2 });
  expect(young.flatMap(sequences)).toEqual([1, 1]);
  // The oldest event that is left, for the alarm.
  expect(behind()).toBeGreaterThanOrEqual(600);
  delete bus.refuses;
  expect(await runSweep(world)).toMatchObject({ told: 25 });
  expect(behind()).toBe(0);
});

test('a sweep asks a bus that takes nothing for 30 outboxes, and leaves the others to the next sweep', async () => {
  const orderRefs = Array.from({ length: 35 }, (_, index) => `closed-bus-${index}`);
  for (const orderRef of orderRefs) await leaveEvents(orderRef, 1);
  const asked = new Set<string | undefined>();
  bus.before = async ({ body }) => asked.add(/closed-bus-\d+/.exec(body)?.[0]);
  bus.isClosed = true;
  expect(await runSweep(world)).toMatchObject({ told: 0 });
  expect(asked.size).toBe(30);
  delete bus.isClosed;
  expect(await runSweep(world)).toMatchObject({ told: 35 });
});

test('events that left with a reduced record while they were sent do not come back into it', async () => {
  await leaveEvents('reduced-meanwhile', 2);
  bus.refuses = ({ sequence }) => sequence === 1;
  const Key = { orderRef: 'reduced-meanwhile', item: 'order' };
  const UpdateExpression = 'REMOVE unsentEvents, unsent, unsentSince';
  bus.before = () => table.send(new UpdateCommand({ TableName, Key, UpdateExpression }));
  await runSweep(world);
  expect(await left('reduced-meanwhile')).toBeUndefined();
  delete bus.refuses;
  await runSweep(world);
  expect(sequences('reduced-meanwhile')).toEqual([2]);
});

test('events that are unsent when the record is reduced are not told, and nothing waits for them', async () => {
  bus.isClosed = true;
  await submit(world, 'reduced');
  const { eventCount } = await world.untilEnd('reduced');
  world.clock.advanceTo(world.clock.now() + 91 * DAY);
  expect(await runSweep(world)).toMatchObject({ emptied: 1, told: 0 });
  expect(behind()).toBeGreaterThan(90 * 86_400);
  world.clock.advanceTo(world.clock.now() + 366 * DAY);
  expect(await runSweep(world)).toMatchObject({ reduced: 1, told: 0 });
  delete bus.isClosed;
  expect(await runSweep(world)).toMatchObject({ told: 0, failed: 0, notRemoved: 0 });
  expect(behind()).toBe(0);
  expect(sequences('reduced')).toEqual([]);
  expect(await world.record('reduced')).toMatchObject({ status: 'CLOSED', eventCount });
  expect(eventCount).toBeGreaterThan(1);
});
