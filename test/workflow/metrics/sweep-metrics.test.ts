import { afterEach, beforeEach, expect, test } from 'vitest';
import { changePause, commandsIn } from '../../helpers/commands-in.ts';
import { answer, reading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { openWorld, rareSweeps, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { secretWords } from '../../helpers/packages.ts';
import { submitAndAbort } from '../../helpers/signatures.ts';

const MINUTE = 60_000;
const settings = { ...SIGNATURES_AT_ONCE, bankSeconds: 1 };
const world = await openWorld({ settings, deliveryWrapper: rareSweeps() });
const { latest, lines, published, values, total } = watchMetrics(world);

beforeEach(async () => {
  await world.forget(settings);
  world.aws.startSchedules();
});

afterEach(() => {
  expect(lines().length).toBeGreaterThan(5);
  const orderIds = world.simulator.orders().map(({ orderId }) => orderId);
  const words = ['waits-', 'outage', 'stuck', 'held', ...orderIds, ...Object.values(secretWords)];
  for (const { line } of lines()) expect(words.filter((word) => line.includes(word))).toEqual([]);
});

test('orders are counted by whom they wait for, with the age of the oldest and the longest time in a status, and dismissed ones are not', async () => {
  const waiting = (who: string) => latest('OrdersWaiting', { waitingFor: who });
  const oldest = (who: string) => latest('OldestWaitSeconds', { waitingFor: who }) ?? 0;
  await world.pass(6 * MINUTE);
  // Zeros, so that the charts and alarms have values.
  expect(values('Sweeps').length).toBeGreaterThan(0);
  for (const who of ['service', 'signatures', 'decision', 'operator'])
    expect([waiting(who), oldest(who)]).toEqual([0, 0]);
  for (const finding of ['recorded', 'resumed', 'started', 'failed'])
    expect(latest('SweepFindings', { finding })).toBe(0);
  await world.submitToSign('waits-1');
  await submitAndAbort(world, 'stuck');
  await world.pass(30 * MINUTE);
  await world.submitToSign('waits-2');
  await world.pass(6 * MINUTE);
  for (const [who, count] of [
    ['signatures', 2],
    ['operator', 1],
  ] as const) {
    expect(waiting(who)).toBe(count);
    expect(oldest(who)).toBeGreaterThan(30 * 60);
    expect(oldest(who)).toBeLessThan(45 * 60);
  }
  expect(latest('UnchangedSeconds', { status: 'WAITING_FOR_SIGNATURE' })).toBeGreaterThan(30 * 60);
  await commandsIn(world).done('dismiss', 'stuck', '--reason', 'A test');
  await world.pass(6 * MINUTE);
  expect([waiting('operator'), oldest('operator')]).toEqual([0, 0]);
});

test('the calls of an outage that heals itself are counted by their error, and its stops as interruptions and resumed orders, never as ends', async () => {
  const over = world.clock.now() + 20 * MINUTE;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (reading(call) && world.clock.now() < over) await answer(503)(call, request, reply);
  };
  expect(await world.submitToEnd('outage')).toMatchObject({ status: 'CLOSED' });
  await world.pass(6 * MINUTE);
  const refused = (await world.calls('outage')).filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(1);
  const error = 'ServiceUnavailable';
  expect(values('CallLatency', { call: 'Read order', outcome: error })).toHaveLength(refused.length);
  expect(total('CallsUnanswered')).toBe(refused.length);
  expect(total('OrdersInterrupted', { error })).toBeGreaterThan(0);
  expect(total('SweepFindings', { finding: 'resumed' })).toBe(total('OrdersInterrupted', { error }));
  expect(published().flatMap(({ name, dimensions }) => (name === 'OrdersEnded' ? [dimensions.end] : []))).toEqual([
    'CLOSED',
  ]);
  expect(total('OrdersWaiting', { waitingFor: 'operator' })).toBe(0);
  expect(Math.max(...values('OrdersWaiting', { waitingFor: 'service' }))).toBeGreaterThan(0);
});

test('while the stage is paused, the time of the pause grows and the time in a status does not, and no execution is looked at', async () => {
  const inStatus = () => latest('UnchangedSeconds', { status: 'OFFERS_AVAILABLE' }) ?? 0;
  await world.submitUntil('held', ({ waitingFor }) => waitingFor === 'decision', { offers: { choose: 'manual' } });
  await world.pass(30 * MINUTE);
  expect(latest('StagePausedSeconds')).toBe(0);
  await changePause(world, 'pause');
  const asked: string[] = [];
  world.wrappers.requestWrapper = async ({ operation }) => void asked.push(operation);
  await world.pass(60 * MINUTE);
  expect(asked.filter((operation) => /Executions?$/.test(operation))).toEqual([]);
  expect(latest('StagePausedSeconds')).toBeGreaterThan(50 * 60);
  expect(inStatus()).toBeGreaterThan(20 * 60);
  expect(inStatus()).toBeLessThan(40 * 60);
  await changePause(world, 'resume');
  await world.pass(20 * MINUTE);
  expect(latest('StagePausedSeconds')).toBe(0);
  expect(inStatus()).toBeLessThan(30 * 60);
});

test('a sweep to which Step Functions lists nothing counts the orders and sends events, but does not count as a sweep', async () => {
  world.wrappers.entryRefusal = () => 'InternalFailure';
  await world.submitToSign('waits-3');
  world.wrappers.entryRefusal = undefined;
  world.wrappers.requestWrapper = async ({ operation }) =>
    operation === 'ListExecutions' ? { status: 400, code: 'AccessDeniedException' } : undefined;
  const sweeps = values('Sweeps').length;
  await world.pass(12 * MINUTE);
  expect(latest('OrdersWaiting', { waitingFor: 'signatures' })).toBe(1);
  expect(total('SweepFindings', { finding: 'sent' })).toBeGreaterThan(0);
  expect(values('Sweeps')).toHaveLength(sweeps);
});
