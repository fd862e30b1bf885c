import { faultNames, type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { simulator as command, FAULTS } from '../../commands/simulator.ts';
import { foreign, own, rawRequest } from '../../packages/embedded-aws/test/raw-request.ts';
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

const grant = { grant_type: 'client_credentials' };
const credentials = { ...grant, client_id: 'partner', client_secret: 'simulated-secret' };
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test('/oauth2/token returns a JWT with its lifetime, type and scope', async () => {
  const answer = await partner.requestToken({ ...credentials, scope: 'orders partner-7' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const access_token = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  expect(answer.body).toEqual({ access_token, expires_in: 3600, token_type: 'Bearer', scope: 'orders partner-7' });
  const read = await partner.call('GET', '/v1/orders/unknown', { token: answer.body.access_token });
  expect(read.status).toBe(404);
});

type Form = ConstructorParameters<typeof URLSearchParams>[0];

test.each<[string, Form, Record<string, string>, number, string]>([
  ['no grant', { ...credentials, grant_type: '' }, {}, 400, 'invalid_request'],
  ['another grant', { ...credentials, grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
  ['another client', { ...credentials, client_id: 'other' }, {}, 401, 'invalid_client'],
  ['a wrong secret', { ...credentials, client_secret: 'other' }, {}, 401, 'invalid_client'],
  ['no credentials', grant, {}, 401, 'invalid_client'],
  ['another scope', { ...credentials, scope: 'admin' }, {}, 400, 'invalid_scope'],
  ['a field sent twice', [...Object.entries(credentials), ['client_id', 'other']], {}, 400, 'invalid_request'],
  ['JSON', { a: 'b' }, { 'content-type': 'application/json' }, 415, 'invalid_request'],
])('a token request with %s is refused', async (_what, form, headers, status, error) => {
  partner.simulator.settings.allowedScopes = ['orders'];
  const body = new URLSearchParams(form);
  const answer = await partner.call('POST', '/oauth2/token', { headers, body, token: null });
  expect([answer.status, answer.body.error]).toEqual([status, error]);
  expect(answer.headers.has('www-authenticate')).toBe(status === 401);
});

test('HTTP Basic credentials are form-decoded, and refused together with credentials in the body', async () => {
  partner.simulator.settings.clientSecret = 'a:b c%';
  const request = (form: Record<string, string>) =>
    partner.requestToken(form, '/oauth2/token', basic('partner:a%3Ab+c%25'));
  expect((await request(grant)).status).toBe(200);
  const twice = await request(credentials);
  expect([twice.status, twice.body.error]).toEqual([400, 'invalid_request']);
});

describe('a call to the order API', () => {
  test.each([
    ['without a token', null, 'token_missing', 'Bearer realm="order-service"'],
    ['with an invalid token', 'rubbish', 'token_invalid', 'error="invalid_token"'],
    ['with an unsigned token', 'eyJhbGciOiJub25lIn0.eyJqdGkiOiIxIn0.', 'token_invalid', 'error="invalid_token"'],
  ])('%s is refused with 401', async (_name, token, code, challenge) => {
    const answer = await partner.call('GET', '/v1/orders/any', { token });
    expect([answer.status, answer.body.error.code]).toEqual([401, code]);
    expect(answer.headers.get('www-authenticate')).toContain(challenge);
  });

  test('is refused when the token has expired or was revoked, and not one second earlier', async () => {
    const orderId = await partner.create();
    const read = () => partner.call('GET', `/v1/orders/${orderId}`);
    partner.passSeconds(partner.simulator.settings.tokenLifetimeSeconds - 1);
    expect((await read()).status).toBe(200);
    partner.passSeconds(1);
    expect((await read()).body.error.code).toBe('token_expired');
    await partner.authorize();
    expect((await read()).status).toBe(200);
    partner.simulator.revokeAllTokens();
    expect((await read()).status).toBe(401);
  });
});

test('the simulator refuses, and does not record, what is not asked by a program of this machine', async () => {
  const simulator = await startSimulator();
  onTestFinished(() => simulator.close());
  const { clientId, clientSecret } = simulator.settings;
  const body = `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`;
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const [by, headers] of foreign) {
    const asked = { method: 'POST', headers: { ...form, ...headers }, body };
    const refused = { status: 403, text: expect.stringContaining('this machine') };
    expect(await rawRequest(`${simulator.url}/oauth2/token`, asked), by).toEqual(refused);
    for (const path of ['/simulator/calls', '/nowhere'])
      expect((await rawRequest(`${simulator.url}${path}`, { headers })).status, by).toBe(403);
  }
  expect(simulator.calls()).toEqual([]);
  for (const [name, headers] of own(simulator.url))
    expect((await rawRequest(`${simulator.url}/simulator/calls`, { headers })).status, name).toBe(200);
});

let simulator: Simulator;
let headers: Record<string, string>;

beforeEach(async () => {
  simulator = await startSimulator({ switches: true });
  const { access_token } = (await (await requestToken()).json()) as { access_token: string };
  headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json', connection: 'close' };
});

afterEach(() => simulator.close());

const switches = () => simulator.switchesUrl ?? '';
const create = () => fetch(`${simulator.url}/v1/orders`, { method: 'POST', headers, body: '{"inn":"7707083893"}' });
const read = (orderId: string) => fetch(`${simulator.url}/v1/orders/${orderId}`, { headers });

async function requestToken(): Promise<Response> {
  const { clientId: client_id, clientSecret: client_secret } = simulator.settings;
  const fields = { grant_type: 'client_credentials', client_id, client_secret };
  return fetch(`${simulator.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
}

const createdOrder = async (): Promise<string> => ((await (await create()).json()) as { orderId: string }).orderId;

test('the command line and the simulator know the same faults', () => {
  expect(FAULTS).toEqual(faultNames);
});

test('down refuses every connection, its switches stay reachable, and up lets it answer again', async () => {
  const orderId = await createdOrder();
  await command(switches(), { fault: 'down' });
  await expect(read(orderId)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect((await command(switches(), undefined)).json).toEqual({ url: simulator.url, fault: 'down' });
  await command(switches(), { fault: 'up' });
  expect((await read(orderId)).status).toBe(200);
});

test('reject refuses new orders only', async () => {
  const orderId = await createdOrder();
  await command(switches(), { fault: 'reject' });
  const refused = await create();
  expect([refused.status, await refused.json()]).toMatchObject([422, { error: { code: 'new_orders_refused' } }]);
  expect((await read(orderId)).status).toBe(200);
  expect(simulator.orders()).toHaveLength(1);
});

test.each([200, 502])('html answers with a page and status %i, and does nothing else', async (status) => {
  await command(switches(), { fault: 'html', status });
  const page = await create();
  expect([page.status, page.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(await page.text()).toContain('<h1>');
  expect(simulator.orders()).toEqual([]);
  expect(simulator.calls().at(-1)).toMatchObject({ status, responseContentType: 'text/html; charset=utf-8' });
});

test('slow does the work and holds the answer back, until the next switch', async () => {
  simulator.settings.slowAnswerSeconds = 3_600;
  await command(switches(), { fault: 'slow' });
  const answer = create();
  while (simulator.orders().length === 0) await new Promise(setImmediate);
  await command(switches(), { fault: 'up' });
  expect((await answer).status).toBe(201);
  expect((await create()).status).toBe(201);
});

test('a fault leaves requests for a token alone', async () => {
  simulator.settings.slowAnswerSeconds = 3_600;
  for (const fault of ['reject', 'html', 'slow'] as const) {
    await command(switches(), { fault });
    expect(await (await requestToken()).json()).toHaveProperty('access_token');
  }
});

test('a fault tells who asked to hear of it', async () => {
  const heard: unknown[] = [];
  simulator.onFault((state) => heard.push(state));
  await command(switches(), { fault: 'html' });
  await command(switches(), { fault: 'up' });
  expect(heard).toEqual([{ fault: 'html', status: 200 }, { fault: 'up' }]);
});

test('a simulator closes while it is down', async () => {
  await command(switches(), { fault: 'down' });
  await simulator.close();
  await expect(command(switches(), undefined)).rejects.toThrow(
    `No simulator answers at ${switches()} (ECONNREFUSED): it may not have changed.`,
  );
});

test('the switches refuse web pages, other host names and unknown faults', async () => {
  const url = `${switches()}/fault`;
  const origin = { origin: 'http://page.example', 'content-type': 'application/json' };
  expect((await rawRequest(url, { method: 'PUT', headers: origin })).status).toBe(403);
  expect((await rawRequest(url, { headers: { host: 'page.example' } })).status).toBe(403);
  const put = (body: object) =>
    fetch(url, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  expect((await put({ fault: 'sideways' })).status).toBe(400);
  expect((await put({ fault: 'html', status: 404 })).status).toBe(400);
  expect((await command(switches(), undefined)).json).toMatchObject({ fault: 'up' });
});

test('the address of the order API is not that of the switches', async () => {
  await expect(command(simulator.url, { fault: 'down' })).rejects.toThrow('is not the switches of a simulator');
});
