import { expect, test } from 'vitest';
import { latenessOf } from '../../../bench/lateness.ts';
import type { RecordedCall } from '../../../packages/order-simulator/index.ts';

const ORDER = '/v1/orders/{orderId}';

function call(orderId: string, at: number, changes: Partial<RecordedCall> = {}): RecordedCall {
  const read = { method: 'GET', route: ORDER, status: 200, responseBody: { pollAfterSeconds: 2 } };
  return { sequence: 1, path: '', orderId, at, ...read, ...changes };
}

test('the lateness of a poll is its delay after the wait that the previous read of the same order asked for', () => {
  const calls = [call('a', 0), call('b', 500), call('a', 2_030), call('b', 2_510), call('a', 4_080)];
  expect(latenessOf(calls)).toMatchObject({ polls: 3, median: 30, maximum: 50, early: 0 });
});

test('a read after other calls of the order does not count as a poll', () => {
  const accept = call('a', 1_000, { method: 'POST', route: `${ORDER}/accept`, status: 202 });
  expect(latenessOf([call('a', 0), accept, call('a', 60_000)]).polls).toBe(0);
});

test('a read before the end of its wait counts as early', () => {
  const calls = [call('a', 0), call('a', 1_999, { earlyBySeconds: 0.001 })];
  expect(latenessOf(calls)).toMatchObject({ early: 1, median: -1 });
});
