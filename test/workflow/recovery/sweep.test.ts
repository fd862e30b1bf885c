import { expect, test } from 'vitest';
import { changePause } from '../../helpers/commands-in.ts';
import { answer, creating, KILLED, reading, type ServiceFault } from '../../helpers/faults.ts';
import {
  NO_OFFERS,
  OFFERS_AT_ONCE,
  openWorld,
  rareSweeps,
  runSweep,
  SIGNATURES_AT_ONCE,
} from '../../helpers/open-world.ts';

const MINUTE = 60_000;
/** Minutes: `outagePatienceHours` of the stage. */
const PATIENCE = 72 * 60;
/** Every order goes the shortest way on which it makes the calls that its test is about. */
const SHORT = { ...OFFERS_AT_ONCE, ...NO_OFFERS };
const deliverRarely = rareSweeps(10);
const world = await openWorld({
  settings: SHORT,
  environment: { STARTS_PER_SWEEP: '1' },
  deliveryWrapper: deliverRarely,
});
world.aws.startSchedules();

function loseEnds(): void {
  world.wrappers.deliveryWrapper = (event, deliver) => {
    if (event.source !== 'aws.states') deliverRarely(event, deliver);
  };
}

test('an order goes on by itself after weeks in which Lambda took the network of its functions, and is created once', async () => {
  for (const name of ['check-package', 'create-order', 'read-order'])
    world.aws.makeInactive(`loan-orders-local-${name}`);
  expect(await world.submitToEnd('idle')).toMatchObject({ status: 'CLOSED' });
  expect(await world.calls('idle', creating)).toHaveLength(1);
});

function outage(minutes: number, matches = reading): void {
  const over = world.clock.now() + minutes * MINUTE;
  const down: ServiceFault = answer(503);
  world.simulator.hooks.before = async (call, request, reply) => {
    if (matches(call) && world.clock.now() < over) await down(call, request, reply);
  };
}

test('an order that an outage stops beyond the patience of the stage is given to an operator', async () => {
  // The patience begins anew when a pause ends, and another test ends one.
  await world.forget(SHORT);
  world.aws.startSchedules();
  outage(60);
  const order = await world.submitUntil('impatient', ({ failure }) => failure !== undefined);
  const since = new Date(world.clock.now() - (PATIENCE + 60) * MINUTE).toISOString();
  await world.rewrite('impatient', { resume: { ...order.resume, since } });
  const failure = { error: 'ServiceUnavailable' };
  expect(await world.untilEnd('impatient')).toMatchObject({ waitingFor: 'operator', failure, generation: 2 });
});

test('of many orders that an outage stopped, each sweep starts only as many as the stage allows', async () => {
  outage(4);
  const orderRefs = ['paced-1', 'paced-2'];
  for (const orderRef of orderRefs) await world.submit(orderRef);
  for (const orderRef of orderRefs) expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  const resumed = orderRefs.map(async (orderRef) => (await world.executions(orderRef))[1]?.startDate?.getTime());
  expect(new Set(await Promise.all(resumed)).size).toBe(orderRefs.length);
});

test('an execution that an operator stopped and whose event was lost is recorded, and is not started again', async () => {
  loseEnds();
  await world.submitUntil('aborted', ({ orderId }) => orderId !== undefined);
  await world.abort('aborted');
  // It may be about to be recorded in the usual way.
  await runSweep(world);
  expect((await world.record('aborted'))?.failure).toBeUndefined();
  const order = await world.untilEnd('aborted');
  expect(order).toMatchObject({ waitingFor: 'operator', failure: { error: 'AbortedByOperator' }, generation: 1 });
  await world.pass(60 * MINUTE);
  expect(await world.executions('aborted')).toHaveLength(1);
});

test('an end that neither the execution nor an event could record is recorded by the sweep, and the order goes on', async () => {
  outage(3);
  loseEnds();
  world.wrappers.invokeWrapper = async (functionName, _event, invoke) =>
    functionName.endsWith('record-end') ? KILLED : invoke();
  await world.submit('unrecorded');
  await world.aws.runUntil(async () => (await world.executions('unrecorded'))[0]?.status === 'FAILED');
  expect((await world.record('unrecorded'))?.failure).toBeUndefined();
  await world.until('unrecorded', ({ failure }) => failure !== undefined);
  expect(await world.told('unrecorded', 'Execution ended')).toHaveLength(1);
  expect(await world.untilEnd('unrecorded')).toMatchObject({ status: 'CLOSED' });
});

test('an order whose execution could never be started is started by the sweep', async () => {
  world.wrappers.requestWrapper = async ({ operation }) =>
    operation === 'StartExecution' ? { status: 500, code: 'InternalFailure' } : undefined;
  await world.submit('never-started');
  await world.pass(30 * MINUTE);
  expect(await world.executions('never-started')).toHaveLength(0);
  world.wrappers.requestWrapper = undefined;
  expect(await world.untilEnd('never-started')).toMatchObject({ status: 'CLOSED', generation: 1 });
  expect(await world.told('never-started', 'Started: no execution drove the order')).toHaveLength(1);
});

test('a sweep starts nothing and records nothing for an order that waits for people', async () => {
  Object.assign(world.simulator.settings, SIGNATURES_AT_ONCE);
  await world.submitToSign('waits');
  await world.pass(120 * MINUTE);
  expect(await world.executions('waits')).toHaveLength(1);
  expect(await world.told('waits', 'Execution ended')).toHaveLength(0);
});

test('an order that an outage stopped is not started while the stage is paused, and has the whole patience after that', async () => {
  outage(PATIENCE + 120);
  await world.submitUntil('paused', ({ failure }) => failure !== undefined);
  await changePause(world, 'pause');
  await world.aws.settle();
  const [calls, started] = [world.simulator.calls().length, (await world.executions('paused')).length];
  world.wrappers.deliveryWrapper = rareSweeps(PATIENCE / 8);
  world.clock.advanceTo(world.clock.now() + (PATIENCE + 60) * MINUTE);
  await world.aws.settle();
  expect(world.simulator.calls()).toHaveLength(calls);
  expect(await world.executions('paused')).toHaveLength(started);
  world.wrappers.deliveryWrapper = deliverRarely;
  await changePause(world, 'resume');
  expect(await world.untilEnd('paused')).toMatchObject({ status: 'CLOSED' });
});
