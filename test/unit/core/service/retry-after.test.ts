import { expect, test } from 'vitest';
import { Throttled } from '../../../../core/errors.ts';
import { callWithPatience } from '../../../../core/service/retry-after.ts';
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
