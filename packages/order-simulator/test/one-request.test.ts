import { beforeAll, expect, test } from 'vitest';
import { answerOne, type OneAnswer, type StoredState } from '../index.ts';

const settings = { clientId: 'partner', clientSecret: 'secret', keptFileBytes: 0, processingSeconds: 1 };
let now = Date.UTC(2030, 0, 1);
let token: StoredState['token'];

/** Answers a request that remembers the token and this order alone. */
function ask(method: string, url: string, body: unknown, order?: string, more: object = {}): Promise<OneAnswer> {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
  const request = { method, url, headers: headersOf(), body: bytes };
  return answerOne(request, { order, token }, { ...settings, ...more }, () => now);
}

const json = ({ body }: OneAnswer) => JSON.parse(body.toString()) as Record<string, unknown>;
const onlyOrder = ({ orders }: OneAnswer) => [...orders.values()][0] ?? '';

beforeAll(async () => {
  const form = 'grant_type=client_credentials&client_id=partner&client_secret=secret';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', url: '/oauth2/token', headers, body: Buffer.from(form) };
  const answer = await answerOne(request, {}, settings, () => now);
  expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  token = [...answer.tokens][0];
});

test('an order goes on from its text, as in a running simulator', async () => {
  const created = await ask('POST', '/v1/orders', { scenario: 'validation-fails-at-once' });
  const { orderId } = json(created);
  now += 1_000;
  const read = await ask('GET', `/v1/orders/${orderId}`, undefined, onlyOrder(created));
  expect(json(read)).toMatchObject({ orderId, status: 'VALIDATION_FAILED' });
  const again = await ask('GET', `/v1/orders/${orderId}`, undefined, onlyOrder(read));
  expect(json(again).issues).toEqual(json(read).issues);
});

test('a document has the same bytes from every text of its order', async () => {
  const created = await ask('POST', '/v1/orders', {}, undefined, { outcomes: ['WAITING_FOR_SIGNATURE'] });
  const { orderId } = json(created);
  now += 1_000;
  const read = await ask('GET', `/v1/orders/${orderId}`, undefined, onlyOrder(created));
  const [document] = json(read).documents as { fileId: string }[];
  const download = () =>
    ask('GET', `/v1/orders/${orderId}/documents/${document?.fileId}/download`, undefined, onlyOrder(read));
  const [one, other] = [await download(), await download()];
  expect(one.body.subarray(0, 5).toString()).toBe('%PDF-');
  expect(one.body.equals(other.body)).toBe(true);
});

const headersOf = () => ({ authorization: `Bearer ${token?.[0]}`, 'content-type': 'application/json' });

test('what is not remembered is not known: a token, an order', async () => {
  const request = { method: 'GET', url: '/v1/orders/1', headers: headersOf(), body: Buffer.alloc(0) };
  expect((await answerOne(request, {}, settings)).status).toBe(401);
  expect((await ask('GET', '/v1/orders/1', undefined)).status).toBe(404);
});
