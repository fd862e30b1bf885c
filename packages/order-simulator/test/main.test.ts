import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerOne, type OneAnswer, type StoredState } from '../index.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
let running: ChildProcess | undefined;

function run(...options: string[]) {
  const child = spawn(process.execPath, [main, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  return child;
}

afterEach(() => {
  if (running?.exitCode === null) running.kill('SIGKILL');
});

describe('the command line of the simulator', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'prints its address and credentials, serves, and closes on %s',
    async (signal) => {
      const child = run();
      let output = '';
      for await (const chunk of child.stdout) {
        output += chunk;
        if (output.includes('Create an order:')) break;
      }
      const url = output.match(/base_url +(\S+)/)?.[1] ?? '';
      const clientId = output.match(/client_id +(\S+)/)?.[1] ?? '';
      const clientSecret = output.match(/client_secret +(\S+)/)?.[1] ?? '';
      const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
      expect(answer.status).toBe(200);
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  test('reports a port that is taken in one sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const child = run('--port', String(port));
    const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    other.close();
    expect(message).toBe(`Port ${port} is in use. Choose another with --port.\n`);
    expect(code).toBe(1);
  });

  test.each(['65536', '1.5'])('reports the invalid port %s in one sentence', async (port) => {
    const child = run(`--port=${port}`);
    const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(message).toBe(`--port must be a number from 0 to 65535, not "${port}".\n`);
    expect(code).toBe(1);
  });
});

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
