import { faultNames, type Simulator, startSimulator } from '@business-loan-orders/order-simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { simulator as command, FAULTS } from '../../commands/simulator.ts';
import { rawRequest } from '../../packages/embedded-aws/test/raw-request.ts';

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
