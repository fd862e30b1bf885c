import { beforeEach, expect, test } from 'vitest';
import { Rejected, Unauthorized } from '../../core/errors.ts';
import type { OrderServiceClient } from '../../core/order-service/order-service-client.ts';
import { clientOf, ownToken } from '../helpers/order-service-client.ts';
import { Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest();
let client: OrderServiceClient;

beforeEach(() => {
  client = clientOf(partner.simulator);
});

test('a call whose token is refused twice fails with Unauthorized', async () => {
  const tokens = ownToken(partner.simulator);
  const stale = clientOf(partner.simulator, { token: async () => 'nonsense', replace: async () => 'nonsense too' });
  await expect(stale.createOrder('{"a":1}')).rejects.toThrow(Unauthorized);
  expect(await tokens.token()).toBeTruthy();
});

test('a call in the wrong state fails with Rejected, with the status in the message and text of the service only in the excerpt', async () => {
  const { orderId } = await client.createOrder('{"a":1}');
  const error = await client.acceptOrder(orderId).catch((rejected: unknown) => rejected);
  expect(error).toBeInstanceOf(Rejected);
  const facts = { subject: 'Order order-10045', operation: 'test', httpStatus: 409 };
  expect(error).toMatchObject({ call: { ...facts, excerpt: expect.stringContaining('error') } });
  expect((error as Rejected).message).toContain('409');
  expect((error as Rejected).message).not.toContain((error as Rejected).call.excerpt);
});
