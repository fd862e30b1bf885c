import { beforeAll, describe, expect, test } from 'vitest';
import { answer, creating, inject, loseAnswer, reading, uploading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { openWorld, submit } from '../../helpers/open-world.ts';
import { secretWords } from '../../helpers/packages.ts';

const world = await openWorld();
const all = watchMetrics(world);

describe('an order that comes through without a fault', () => {
  let metrics: ReturnType<typeof watchMetrics>;

  beforeAll(async () => {
    metrics = watchMetrics(world);
    await submit(world, 'counted', { documents: ['charter.pdf', 'balance.pdf'] });
    expect(await world.untilEnd('counted')).toMatchObject({ status: 'CLOSED' });
  });

  test('counts every call of the service with its kind, outcome and latency', async () => {
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
  });

  test('counts one start, one end, one token request, and nothing that was sent again', () => {
    expect(metrics.values('OrdersStarted')).toEqual([1]);
    expect(metrics.values('OrdersEnded', { end: 'CLOSED' })).toEqual([1]);
    expect(metrics.values('TokenRequestLatency', { outcome: 'Success' })).toHaveLength(1);
    expect(metrics.published().filter(({ name }) => ['CallsSentAgain', 'OrdersInterrupted'].includes(name))).toEqual(
      [],
    );
  });

  test('publishes everything under the stage, in the namespace LoanOrders, one line for each value', () => {
    const lines = metrics.lines();
    expect(lines.length).toBeGreaterThan(10);
    for (const { line } of lines) {
      const { _aws, stage } = JSON.parse(line);
      expect(stage).toBe('local');
      expect(_aws.CloudWatchMetrics).toMatchObject([{ Namespace: 'LoanOrders', Metrics: [{}] }]);
      for (const names of _aws.CloudWatchMetrics[0].Dimensions) expect(names[0]).toBe('stage');
    }
  });
});

test('the calls of an outage are counted by the class of their error, and the stop as an interruption, not as an end', async () => {
  const metrics = watchMetrics(world);
  inject(world.simulator, 'before', reading, answer(503), Number.POSITIVE_INFINITY);
  await submit(world, 'down');
  await world.until('down', ({ failure }) => failure !== undefined);
  const refused = (await world.calls('down')).filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(1);
  expect(metrics.values('CallLatency', { call: 'Read order', outcome: 'ServiceUnavailable' })).toHaveLength(
    refused.length,
  );
  expect(metrics.total('CallsUnanswered')).toBe(refused.length);
  expect(metrics.values('OrdersInterrupted', { error: 'ServiceUnavailable' })).toEqual([1]);
  expect(metrics.published().filter(({ name }) => name === 'OrdersEnded')).toEqual([]);
});

test('calls that are sent again are counted with their cause', async () => {
  const metrics = watchMetrics(world);
  inject(world.simulator, 'before', creating, answer(429, {}, { 'retry-after': '1' }));
  inject(world.simulator, 'after', uploading, loseAnswer);
  await submit(world, 'again');
  await world.until('again', ({ orderId }) => orderId !== undefined);
  expect(metrics.values('CallsSentAgain', { cause: 'NotDone' })).toEqual([1]);
  inject(world.simulator, 'before', reading, answer(401));
  expect(await world.untilEnd('again')).toMatchObject({ status: 'CLOSED' });
  expect(metrics.values('CallLatency', { call: 'Upload document', outcome: 'OutcomeUnknown' })).toHaveLength(1);
  expect(metrics.values('CallsSentAgain', { cause: 'OutcomeUnknown' })).toEqual([1]);
  expect(metrics.values('CallsSentAgain', { cause: 'TokenRefused' })).toEqual([1]);
});

test('business ends are counted by their status, and ends that need a person by the class of their error', async () => {
  const metrics = watchMetrics(world);
  await submit(world, 'invalid', { scenario: 'validation-fails-at-once' });
  expect(await world.untilEnd('invalid')).toMatchObject({ status: 'VALIDATION_FAILED' });
  inject(world.simulator, 'before', creating, answer(400));
  await submit(world, 'refused');
  expect(await world.untilEnd('refused')).toMatchObject({ failure: { error: 'Rejected' } });
  await submit(world, 'aborted');
  await world.until('aborted', ({ status }) => status === 'IN_WORK');
  await world.abort('aborted');
  await world.untilEnd('aborted');
  await world.aws.settle();
  const ends = metrics.published().filter(({ name }) => name === 'OrdersEnded');
  expect(ends.map(({ dimensions }) => dimensions.end).sort()).toEqual([
    'AbortedByOperator',
    'Rejected',
    'VALIDATION_FAILED',
  ]);
});

test('no line that becomes a metric holds an orderRef, an orderId or personal data', () => {
  const lines = all.lines();
  expect(lines.length).toBeGreaterThan(50);
  const orderRefs = ['counted', 'down', 'again', 'invalid', 'refused', 'aborted'];
  const orderIds = world.simulator.orders().map(({ orderId }) => orderId);
  const words = [...orderRefs, ...orderIds, ...Object.values(secretWords), 'charter', 'Bearer'];
  for (const { line } of lines) {
    const held = new Set(Object.values(JSON.parse(line)).filter((value) => typeof value === 'string'));
    expect(words.filter((word) => line.includes(`"${word}"`) || [...held].some((one) => one === word))).toEqual([]);
    const known = ['_aws', 'stage', 'call', 'outcome', 'cause', 'end', 'error', 'waitingFor', 'status', 'finding'];
    const [name = '', ...others] = Object.keys(JSON.parse(line)).filter((member) => !known.includes(member));
    expect(others).toEqual([]);
    expect(name).toMatch(/^[A-Z][A-Za-z]+$/);
  }
});
