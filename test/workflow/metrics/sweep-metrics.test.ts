import { expect, test } from 'vitest';
import { run } from '../../../commands/program.ts';
import { answer, reading } from '../../helpers/faults.ts';
import { metricLines, publishedIn, valuesOf } from '../../helpers/metrics.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { changePause } from '../../helpers/pause-stage.ts';
import { rareSweeps } from '../../helpers/rare-sweeps.ts';

const MINUTE = 60_000;
const world = await openWorld({
  environment: { OUTAGE_PATIENCE_HOURS: '3' },
  deliveryWrapper: rareSweeps(),
});
world.aws.startSchedules();

const untilTime = async (minutes: number) => {
  const at = world.clock.now() + minutes * MINUTE;
  await world.aws.runUntil(() => world.clock.now() >= at);
};
const latest = (name: string, dimensions: Record<string, string> = {}) =>
  valuesOf(publishedIn(world.aws.logs()), name, dimensions).at(-1);
const all = (name: string, dimensions: Record<string, string> = {}) =>
  valuesOf(publishedIn(world.aws.logs()), name, dimensions);

test('a sweep that finds no orders publishes zeros, so that the charts and alarms have values', async () => {
  await untilTime(6);
  expect(all('Sweeps').length).toBeGreaterThan(0);
  for (const waitingFor of ['service', 'signatures', 'decision', 'operator']) {
    expect(latest('OrdersWaiting', { waitingFor })).toBe(0);
    expect(latest('OldestWaitSeconds', { waitingFor })).toBe(0);
  }
  for (const finding of ['recorded', 'resumed', 'started', 'failed']) {
    expect(latest('SweepFindings', { finding })).toBe(0);
  }
});

test('orders are counted by whom they wait for, with the age of the oldest and the longest time in a status', async () => {
  await submit(world, 'waits-1');
  await world.until('waits-1', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  await untilTime(30);
  await submit(world, 'waits-2');
  await world.until('waits-2', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  await untilTime(6);
  expect(latest('OrdersWaiting', { waitingFor: 'signatures' })).toBe(2);
  const oldest = latest('OldestWaitSeconds', { waitingFor: 'signatures' }) ?? 0;
  expect(oldest).toBeGreaterThan(30 * 60);
  expect(oldest).toBeLessThan(45 * 60);
  expect(latest('UnchangedSeconds', { status: 'WAITING_FOR_SIGNATURE' })).toBeGreaterThan(30 * 60);
  expect(latest('OrdersWaiting', { waitingFor: 'operator' })).toBe(0);
});

test('an outage that heals itself shows as an interruption and a resumed order, and never as an order for an operator', async () => {
  const over = world.clock.now() + 20 * MINUTE;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && world.clock.now() < over) await answer(503)(call, request, reply);
  };
  const before = world.aws.logs().length;
  await submit(world, 'outage');
  expect(await world.untilEnd('outage')).toMatchObject({ status: 'CLOSED' });
  await untilTime(6);
  const since = publishedIn(world.aws.logs().slice(before));
  const sum = (name: string, dimensions: Record<string, string>) =>
    valuesOf(since, name, dimensions).reduce((total, value) => total + value, 0);
  expect(sum('OrdersInterrupted', { error: 'ServiceUnavailable' })).toBeGreaterThan(0);
  expect(sum('SweepFindings', { finding: 'resumed' })).toBe(sum('OrdersInterrupted', { error: 'ServiceUnavailable' }));
  expect(sum('OrdersWaiting', { waitingFor: 'operator' })).toBe(0);
  expect(Math.max(...valuesOf(since, 'OrdersWaiting', { waitingFor: 'service' }))).toBeGreaterThan(0);
});

test('an order that waits for an operator is counted with the time since its failure', async () => {
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call)) await answer(403)(call, request, reply);
  };
  await submit(world, 'stuck');
  expect(await world.untilEnd('stuck')).toMatchObject({ waitingFor: 'operator' });
  await untilTime(20);
  expect(latest('OrdersWaiting', { waitingFor: 'operator' })).toBe(1);
  const age = latest('OldestWaitSeconds', { waitingFor: 'operator' }) ?? 0;
  expect(age).toBeGreaterThan(10 * 60);
  expect(age).toBeLessThan(25 * 60);
});

test('an order that was dismissed is counted no more, and the alarm on those that wait for an operator ends', async () => {
  const streams = { out: () => undefined, err: () => undefined };
  const dismissed = ['dismiss', 'stuck', '--reason', 'A test'];
  expect(await run(['--endpoint', world.aws.endpoint, ...dismissed], streams)).toBe(0);
  await untilTime(6);
  expect(latest('OrdersWaiting', { waitingFor: 'operator' })).toBe(0);
  expect(latest('OldestWaitSeconds', { waitingFor: 'operator' })).toBe(0);
});

test('no line of the sweep that becomes a metric names an order', () => {
  const lines = metricLines(world.aws.logs());
  expect(lines.length).toBeGreaterThan(50);
  for (const { line } of lines) expect(line).not.toMatch(/waits-|outage|stuck/);
});

test('while the stage is paused, the time of the pause grows and the time in a status does not', async () => {
  const inStatus = () => latest('UnchangedSeconds', { status: 'OFFERS_AVAILABLE' }) ?? 0;
  delete world.simulator.hooks.before;
  await submit(world, 'held', { offers: { choose: 'manual' } });
  await world.until('held', ({ waitingFor }) => waitingFor === 'decision');
  await untilTime(30);
  expect(latest('StagePausedSeconds')).toBe(0);
  await changePause(world, 'pause');
  await untilTime(60);
  expect(latest('StagePausedSeconds')).toBeGreaterThan(50 * 60);
  expect(inStatus()).toBeGreaterThan(20 * 60);
  expect(inStatus()).toBeLessThan(40 * 60);
  await changePause(world, 'resume');
  await untilTime(20);
  expect(latest('StagePausedSeconds')).toBe(0);
  expect(inStatus()).toBeLessThan(30 * 60);
});
