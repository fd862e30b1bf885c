import { startSimulator } from '@business-loan-orders/order-simulator';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { requestToken } from '../../core/service/token-request.ts';
import { answer, inject, reading } from '../helpers/faults.ts';
import { clientAt, failure, ownToken, tokenSettings } from '../helpers/order-service-client.ts';

const simulator = await startSimulator();
afterAll(() => simulator.close());
beforeEach(() => simulator.forget());

const identity = { requestIdHeader: 'X-Request-Id', traceparent: true, release: 'abc' };
const client = (options = {}) => clientAt(simulator.url, ownToken(simulator), 20_000, { identity, ...options });
const sent = () => simulator.calls().filter(({ route }) => route !== '/oauth2/token');
const idsOf = (calls = sent()) => calls.map(({ requestHeaders }) => requestHeaders['x-request-id']);

test('a request that is repeated with a new token has an ID of its own, which the error of the call has', async () => {
  inject(simulator, 'before', reading, answer(401), 2);
  const error = await failure(client().readOrder('unknown'));
  expect(sent().map(({ status }) => status)).toEqual([401, 401, 404]);
  const ids = idsOf();
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toBe('r');
  expect(error.call).toMatchObject({ httpStatus: 404, requestId: ids[2] });
});

test('a token is requested with an ID of its own and the same headers', async () => {
  const { clientId, clientSecret } = simulator.settings;
  const settings = { ...tokenSettings(simulator.authorizationUrl), identity };
  for (let request = 0; request < 2; request += 1)
    await requestToken({ client_id: clientId, client_secret: clientSecret }, settings);
  const [first, second] = simulator.calls().map(({ requestHeaders }) => requestHeaders);
  expect(first).toMatchObject({ 'user-agent': 'business-loan-orders/abc', traceparent: expect.any(String) });
  expect(first?.['x-request-id']).not.toBe(second?.['x-request-id']);
});

test('a stage may name the header, or send none', async () => {
  await failure(client({ identity: { ...identity, requestIdHeader: 'Correlation' } }).readOrder('one'));
  await failure(client({ identity: { ...identity, requestIdHeader: undefined, traceparent: false } }).readOrder('two'));
  const [named, none] = sent().map(({ requestHeaders }) => requestHeaders);
  expect(named).toMatchObject({ correlation: 'r' });
  expect(Object.keys(none ?? {}).sort()).toEqual(['accept', 'authorization', 'connection', 'host', 'user-agent']);
});
