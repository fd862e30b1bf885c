import { expect, test } from 'vitest';
import { Partner } from '../helpers/partner.ts';

const partner = Partner.forEachTest();

const lastCall = () => partner.simulator.calls().at(-1);

test('the simulator records every call in sequence, refused calls too, and returns the record over HTTP', async () => {
  const orderId = await partner.create({ inn: '7707083893' });
  await partner.accept(orderId);
  const calls = partner.simulator.calls();
  expect(calls.map(({ sequence, route, status }) => [sequence, route, status])).toEqual([
    [1, '/oauth2/token', 200],
    [2, '/v1/orders', 201],
    [3, '/v1/orders/{orderId}/accept', 409],
  ]);
  expect(calls[1]).toMatchObject({
    at: Date.UTC(2025, 0, 15, 12),
    method: 'POST',
    path: '/v1/orders',
    orderId,
    tokenId: calls[0]?.tokenId,
    requestHeaders: { 'content-type': 'application/json', authorization: '(hidden)' },
    requestBody: { kind: 'json', value: { inn: '7707083893' }, text: '{"inn":"7707083893"}' },
    responseBody: { orderId },
  });
  const readBack = await partner.call('GET', '/simulator/calls', { token: null });
  expect(readBack.body).toEqual(calls);
  const ofOrder = await partner.call('GET', `/simulator/calls?orderId=${orderId}`, { token: null });
  expect(ofOrder.body).toEqual(calls.slice(1));
  expect(partner.simulator.calls()).toHaveLength(3);
});

test('the call record contains no secret, no token and no bytes of a file', async () => {
  const { orderId, fileIds } = await partner.toSignature();
  await partner.uploadDocument(orderId, 'charter.pdf', 'confidential charter');
  await partner.uploadSignature(orderId, fileIds[0] ?? '', 'confidential signature');
  const mistyped = { grant_type: 'password', client_secret: 'mistyped-secret', client_id: 'partner' };
  expect((await partner.requestToken(mistyped)).status).toBe(400);
  const recorded = JSON.stringify(partner.simulator.calls());
  expect(recorded).not.toMatch(/simulated-secret|mistyped-secret|eyJ|confidential/);
  expect(partner.simulator.calls()[0]).toMatchObject({
    requestBody: { kind: 'form', fields: { client_id: 'partner', client_secret: '(hidden)' } },
    responseBody: { access_token: '(hidden)', expires_in: 3600 },
  });
  const order = await partner.call('GET', `/simulator/orders/${orderId}`, { token: null });
  expect(JSON.stringify(order.body)).not.toMatch(/bytes/);
  expect(order.body).toMatchObject({ orderId, status: 'WAITING_FOR_SIGNATURE', history: expect.any(Array) });
});

test('a read before the end of pollAfterSeconds is answered and recorded as early', async () => {
  const orderId = await partner.create();
  await partner.read(orderId);
  expect(lastCall()).not.toHaveProperty('earlyBySeconds');
  partner.passSeconds(0.5);
  expect((await partner.read(orderId)).status).toBe('IN_WORK');
  expect(lastCall()?.earlyBySeconds).toBe(1.5);
  partner.passSeconds(2);
  await partner.read(orderId);
  expect(lastCall()).not.toHaveProperty('earlyBySeconds');
});
