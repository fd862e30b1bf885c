import { afterEach, expect, test } from 'vitest';
import { answer, creating, type Fault, reading } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE, SIGNATURES_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { changePause } from '../../helpers/pause-stage.ts';
import { rareSweeps } from '../../helpers/rare-sweeps.ts';

const MINUTE = 60_000;
/** What this file breaks. Every test repairs it at its end. */
const broken = { events: false, recordEnd: false, start: false };

/** Every order goes the shortest way on which it makes the calls that its test is about. */
const SHORT = { ...OFFERS_AT_ONCE, bankSeconds: 1 };
const deliverRarely = rareSweeps(10);
const world = await openWorld({
  settings: SHORT,
  environment: { OUTAGE_PATIENCE_HOURS: '3', STARTS_PER_SWEEP: '2' },
  deliveryWrapper: (event, deliver) => {
    if (!(broken.events && event.source === 'aws.states')) deliverRarely(event, deliver);
  },
  invokeWrapper: async (functionName, _event, invoke) => {
    const dies = broken.recordEnd && functionName.endsWith('record-end');
    return dies ? { payload: '{"errorType":"Runtime.ExitError"}', functionError: 'Unhandled' } : invoke();
  },
  requestWrapper: async ({ operation }) =>
    broken.start && operation === 'StartExecution' ? { status: 500, code: 'InternalFailure' } : undefined,
});
world.aws.startSchedules();
afterEach(() => {
  Object.assign(broken, { events: false, recordEnd: false, start: false });
  Object.assign(world.simulator.settings, SHORT);
});

test('an order goes on by itself after weeks in which Lambda took the network of its functions, and is created once', async () => {
  for (const name of ['check-package', 'create-order', 'read-order'])
    world.aws.makeInactive(`loan-orders-local-${name}`);
  await submit(world, 'idle');
  expect(await world.untilEnd('idle')).toMatchObject({ status: 'CLOSED' });
  expect((await world.calls('idle')).filter(creating)).toHaveLength(1);
});

/** The service answers 503 to these calls for so many minutes. */
function outage(minutes: number, matches = reading): void {
  const over = world.clock.now() + minutes * MINUTE;
  const down: Fault = answer(503);
  world.simulator.hooks.before = async (call, request, reply) => {
    if (matches(call) && world.clock.now() < over) await down(call, request, reply);
  };
}

const told = async (orderRef: string, what: string) =>
  (await world.items(orderRef)).filter((item) => item.what === what);
const untilTime = async (minutes: number) => {
  const at = world.clock.now() + minutes * MINUTE;
  await world.aws.runUntil(() => world.clock.now() >= at);
};

test('an order that an outage of an hour stopped goes on by itself, at growing intervals', async () => {
  outage(60);
  await submit(world, 'outage');
  const stopped = await world.until('outage', ({ failure }) => failure !== undefined);
  expect(stopped).toMatchObject({
    waitingFor: 'service',
    failure: { error: 'ServiceUnavailable' },
    resume: { tries: 1 },
  });
  expect(await world.stagedJson('outage', 'status.json')).toMatchObject({ waitingFor: 'service' });
  expect(await world.untilEnd('outage')).toMatchObject({ status: 'CLOSED' });
  const again = await told('outage', 'Started again after an outage');
  const times = again.map(({ at }) => Date.parse(String(at)));
  const pauses = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / MINUTE);
  expect(again.length).toBeGreaterThanOrEqual(3);
  expect(again.length).toBeLessThanOrEqual(5);
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
  expect(again.at(-1)).toMatchObject({ error: 'ServiceUnavailable' });
});

test('of many orders that an outage stopped, each sweep starts only as many as the stage allows', async () => {
  outage(4);
  const orderRefs = ['paced-1', 'paced-2', 'paced-3'];
  for (const orderRef of orderRefs) await submit(world, orderRef);
  for (const orderRef of orderRefs) expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  const claimed = await Promise.all(
    orderRefs.map(async (orderRef) => (await world.executions(orderRef))[1]?.startDate?.getTime() ?? 0),
  );
  const starts = [...Map.groupBy(claimed, (time) => time).values()].map(({ length }) => length);
  expect(Math.max(...starts)).toBe(2);
});

test('an execution that an operator stopped and whose event was lost is recorded, and is not started again', async () => {
  broken.events = true;
  await submit(world, 'aborted');
  await world.until('aborted', ({ orderId }) => orderId !== undefined);
  await world.abort('aborted');
  expect((await world.record('aborted'))?.failure).toBeUndefined();
  const order = await world.untilEnd('aborted');
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'AbortedByOperator' }, generation: 1 });
  await untilTime(60);
  expect(await world.executions('aborted')).toHaveLength(1);
});

test('an end that neither the execution nor an event could record is recorded by the sweep, and the order goes on', async () => {
  outage(3);
  Object.assign(broken, { events: true, recordEnd: true });
  await submit(world, 'unrecorded');
  await world.aws.runUntil(async () => (await world.executions('unrecorded'))[0]?.status === 'FAILED');
  expect((await world.record('unrecorded'))?.failure).toBeUndefined();
  await world.until('unrecorded', ({ failure }) => failure !== undefined);
  expect(await told('unrecorded', 'Execution ended')).toHaveLength(1);
  expect(await world.untilEnd('unrecorded')).toMatchObject({ status: 'CLOSED' });
});

test('an order whose execution could never be started is started by the sweep', async () => {
  broken.start = true;
  await submit(world, 'never-started');
  await untilTime(30);
  expect(await world.executions('never-started')).toHaveLength(0);
  broken.start = false;
  expect(await world.untilEnd('never-started')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await told('never-started', 'Started: no execution drove the order')).toHaveLength(1);
});

test('a sweep starts nothing and records nothing for an order that waits for people', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await submit(world, 'waits');
  await world.until('waits', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  await untilTime(120);
  expect(await world.executions('waits')).toHaveLength(1);
  expect(await told('waits', 'Execution ended')).toHaveLength(0);
});

test('an order that an outage stopped is not started while the stage is paused, and has the whole patience after that', async () => {
  outage(400);
  await submit(world, 'paused');
  await world.until('paused', ({ failure }) => failure !== undefined);
  await changePause(world, 'pause');
  await world.aws.settle();
  const [calls, started] = [world.simulator.calls().length, (await world.executions('paused')).length];
  await untilTime(300);
  expect(world.simulator.calls()).toHaveLength(calls);
  expect(await world.executions('paused')).toHaveLength(started);
  await changePause(world, 'resume');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED' });
});
