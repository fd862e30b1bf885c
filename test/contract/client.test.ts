import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rejected, Unauthorized } from '../../core/errors.ts';
import type { OrderServiceClient } from '../../core/order-service/order-service-client.ts';
import { checkCalls } from '../helpers/contract.ts';
import { clientOf, fileOf, ownToken } from '../helpers/order-service-client.ts';

let simulator: Simulator;
let client: OrderServiceClient;
let now = Date.UTC(2026, 0, 1);

beforeEach(async () => {
  simulator = await startSimulator({ now: () => now });
  client = clientOf(simulator);
});

afterEach(async () => {
  const violations = checkCalls(simulator.calls());
  await simulator.close();
  expect(violations).toEqual([]);
});

const pass = (seconds: number) => {
  now += seconds * 1000;
};

async function readAfter(orderId: string, seconds: number) {
  pass(seconds);
  return (await client.readOrder(orderId)).order;
}

test('the client drives an order from creation to CLOSED, and every call follows the contract', async () => {
  const { orderId } = await client.createOrder('{"company":{"name":"Ромашка"},"amount":10.50}');
  expect(await readAfter(orderId, 5)).toMatchObject({ status: 'WAITING_FOR_DOCUMENTS' });
  const document = Buffer.from('charter of the company');
  const fields = { entityId: 'entity "1"', sourceEntityId: 'источник', docType: 'CHARTER' };
  await client.uploadDocument(orderId, fields, fileOf(document, 'charter.pdf'));
  await client.acceptOrder(orderId);
  const waiting = await readAfter(orderId, 5);
  expect(waiting.status).toBe('WAITING_FOR_SIGNATURE');
  for (const { fileId } of waiting.documents ?? []) {
    const { body, length, contentType } = await client.downloadDocument(orderId, fileId);
    const bytes = await buffer(body);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect({ length, contentType }).toEqual({ length: bytes.length, contentType: 'application/pdf' });
    expect(
      (await client.uploadSignature(orderId, fileId, fileOf(Buffer.from('opaque'), 's.sig'))).signatureId,
    ).toBeTruthy();
  }
  await client.acceptOrder(orderId);
  const offered = await readAfter(orderId, 5);
  expect(offered.status).toBe('OFFERS_AVAILABLE');
  const available = (offered.offers ?? []).filter((offer) => offer.status === 'AVAILABLE').slice(0, 2);
  for (const { offerId, creditOptions } of available) {
    await client.confirmOffer(orderId, { offerId, code: creditOptions?.[0]?.code ?? '' });
  }
  expect((await readAfter(orderId, 60)).status).toBe('CLOSED');

  const upload = simulator.calls().find((call) => call.path.endsWith('/documents'));
  expect(upload?.requestBody).toMatchObject({
    kind: 'multipart',
    fields,
    files: [
      { name: 'charter.pdf', size: document.length, sha256: createHash('sha256').update(document).digest('hex') },
    ],
  });
  const created = simulator.calls().find((call) => call.path === '/v1/orders');
  expect(created?.requestBody).toMatchObject({ text: '{"company":{"name":"Ромашка"},"amount":10.50}' });
  expect(simulator.calls().filter((call) => call.earlyBySeconds)).toEqual([]);
});

test('a call whose token is refused twice fails with Unauthorized', async () => {
  const tokens = ownToken(simulator);
  const stale = clientOf(simulator, { token: async () => 'nonsense', replace: async () => 'nonsense too' });
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
