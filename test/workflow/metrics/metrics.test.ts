import { expect, test } from 'vitest';
import { answer, creating, inject, loseAnswer, reading, uploading } from '../../helpers/faults.ts';
import { watchMetrics } from '../../helpers/metrics.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { secretWords } from '../../helpers/packages.ts';

const world = await openWorld();

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
  expect(ends.map(({ dimensions }) => dimensions.end).sort()).toEqual([
    'AbortedByOperator',
    'Rejected',
    'VALIDATION_FAILED',
  ]);
  expectAnonymous(metrics, 'invalid', 'refused', 'aborted');
});
