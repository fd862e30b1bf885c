import { expect, test } from 'vitest';
import { Throttled } from '../../../../core/errors.ts';
import { callWithPatience, retryAfterSeconds } from '../../../../core/service/retry-after.ts';
import { failure } from '../../../helpers/order-service-client.ts';

test('a refusal with Retry-After that cannot be recorded fails the step as refused, and is not postponed', async () => {
  const refusal = new Throttled('Order order-1: asked to back off.', { call: { retryAfterSeconds: 60 } });
  const patience = {
    subject: 'Order order-1',
    service: 'The order service',
    throttledUntil: undefined,
    record: () => Promise.reject(new Error('The table is not there.')),
    isPostponable: () => true,
  };
  expect(await failure(callWithPatience(patience, () => Promise.reject(refusal)))).toBe(refusal);
});

const CLOCK_OF_TOMORROW = 'Sat, 07 Nov 2099 08:49:37 GMT';
test.each([
  ['7', 7],
  ['1.5', 2],
  ['60000', 60_000],
  ['1793000000', undefined],
  ['-5', undefined],
  ['5s', undefined],
  ['', undefined],
  ['later', undefined],
  ['Sat, 07 Nov 2099 08:50:37 GMT', 60],
  ['Saturday, 07-Nov-99 08:50:37 GMT', 0],
  ['Sat Nov  7 08:50:37 2099', 60],
  ['2099-11-07T08:50:37Z', 60],
  ['Fri, 06 Nov 2099 08:49:37 GMT', 0],
])('Retry-After %j is read as %j seconds, and a date counts from the Date of the answer', (header, seconds) => {
  expect(retryAfterSeconds(header, CLOCK_OF_TOMORROW)).toBe(seconds);
});

test('a date counts from now in an answer without a usable Date', () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  for (const sentAt of [undefined, 'yesterday']) {
    const seconds = retryAfterSeconds(inAMinute, sentAt);
    expect(seconds).toBeGreaterThan(57);
    expect(seconds).toBeLessThanOrEqual(60);
  }
});
