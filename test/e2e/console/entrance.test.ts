import { expect, onTestFinished, test, vi } from 'vitest';
import { startConsole } from '../../../console/server/console.ts';
import { rawRequest } from '../../../packages/embedded-aws/test/raw-request.ts';
import { keyIn, openConsole } from '../../helpers/open-console.ts';
import { openWorld } from '../../helpers/open-world.ts';

const world = await openWorld();
const { served, addresses, authorization, get, read, ask } = await openConsole(world);
/** The addresses that were printed before the tests. */
const printed = [...addresses];
const { host } = new URL(served.url);

const PATHS = ['/', '/page.js', '/style.css', '/orders/x', '/submit', '/rejected', '/api/stage', '/api/orders'];

test('the printed address opens the console once, and the next one is printed', async () => {
  expect(printed).toHaveLength(2);
  expect(new Set(printed).size).toBe(2);
  for (const address of printed) expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  const before = addresses.length;
  const again = await fetch(printed[0] ?? '');
  expect(keyIn(await again.text())).toBeUndefined();
  expect(addresses).toHaveLength(before);
  const opened = await fetch(printed[1] ?? '');
  expect(opened.headers.get('set-cookie')).toBeNull();
  expect(keyIn(await opened.text())).not.toBe(new URL(printed[1] ?? '').searchParams.get('token'));
});

const { authorization: old } = await openConsole(world);
const ORDER = 'api/orders/x';
test.each([
  ...['GET api/stage', 'GET %61pi/stage', 'GET api/orders', `GET api/once?path=/${ORDER}`],
  ...[`GET ${ORDER}`, `GET ${ORDER}/documents/1`, `GET ${ORDER}/documents.zip`],
  ...[`POST ${ORDER}/abort`, `POST ${ORDER}/decision`, `POST ${ORDER}/signatures`, 'POST api/packages/submit'],
])('%s is refused without a key of this console in the one header', async (asked) => {
  const [method = '', path = ''] = asked.split(' ');
  const key = authorization.slice('Bearer '.length);
  for (const other of ['', key, `bearer ${key}`, `${authorization}x`, old, 'Bearer null', 'Bearer ']) {
    const headers = { authorization: other, cookie: `loan-orders-key=${key}`, origin: `http://${host}` };
    const answer = await fetch(served.url + path, { method, headers });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('not open in this browser');
  }
});

test('what the browser loads by itself has an address that answers one GET of one path within a minute', async () => {
  const once = async (what: string) => {
    const path = encodeURIComponent(`/${ORDER}/${what}`);
    return served.url + (await read<{ address: string }>(`/api/once?path=${path}`)).address.slice(1);
  };
  const status = async (address: string, method = 'GET') =>
    (await fetch(address, { method, headers: { origin: `http://${host}` } })).status;
  const first = await once('documents.zip?round=1');
  expect(await status(first.replace('documents.zip', 'issues'))).toBe(401);
  expect(await status(first)).toBe(409);
  expect(await status(first)).toBe(401);
  expect(await status(await once('evidence'), 'POST')).toBe(401);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'] });
  const late = await once('documents.zip');
  vi.setSystemTime(Date.now() + 60_001);
  expect(await status(late)).toBe(401);
  expect(await ask('/api/once?path=/api/stage')).toEqual(never);
});

const foreign: [string, Record<string, string>][] = [
  ['made by a page of another site', { origin: 'https://example.com' }],
  ['made by a page that hides its origin', { origin: 'null' }],
  ['made by a page of another port', { origin: 'http://127.0.0.1:1' }],
  ['made by a script of another site that sends no origin', { 'sec-fetch-site': 'cross-site' }],
  [
    'made by a page of another port that sends no origin',
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
  ],
  ['under a name that resolves to this machine', { host: `rebound.example.com:${host.split(':')[1]}` }],
  ['under the address without the port', { host: '127.0.0.1' }],
];
test.each(foreign)('a request %s is refused even with the key', async (_by, headers) => {
  for (const path of PATHS.slice(0, -1)) {
    const { status } = await rawRequest(served.url + path.slice(1), { headers: { authorization, ...headers } });
    expect(status).toBe(403);
  }
});

test('a request that changes something is refused without an origin', async () => {
  const { status } = await rawRequest(`${served.url}api/orders/x/retry`, {
    method: 'POST',
    headers: { authorization },
  });
  expect(status).toBe(403);
});

const never = { status: 400, code: 'notOfThePage', error: 'The request is not one that the page makes.' };
const notHere = { status: 404, code: 'noAddress', error: 'The console has nothing at this address.' };
const noOrder = {
  status: 409,
  error: expect.stringContaining('There is no order x here'),
  code: 'noOrderHere',
  params: { orderRef: 'x' },
};

test.each([
  ['an address that cannot be decoded', '/%', never],
  ['an address of 4,000 characters', `/api/orders/${'x'.repeat(4000)}`, never],
  ['an address of nothing', '/api/none', notHere],
  ['an address with backslashes', '/%5c..%5c', notHere],
  ['an orderRef with a slash', '/api/orders/a%2Fb/offers', { status: 409, error: 'a/b is not an orderRef.' }],
  ['an orderRef with NUL', '/api/orders/a%00b/issues', { status: 409, error: 'a\0b is not an orderRef.' }],
  ['a long fileId, which is allowed,', `/api/orders/x/documents/${'f'.repeat(300)}`, noOrder],
])('%s is answered in a sentence and with the headers', async (_name, path, answer) => {
  expect((await get(path)).headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  expect(await ask(path)).toEqual(answer);
});

const TOO_LARGE = 'What was sent is larger than the console takes: nothing was done.';
test.each([
  ['that is no JSON', 'x', never],
  ['with __proto__', '{"orderId":"x","__proto__":{}}', never],
  ['with an empty orderId', '{"orderId":" "}', never],
  ['with what the page does not send', '{"orderId":"x","more":1}', never],
  ['that is deep', '['.repeat(1_000_000), never],
  ['that is too large', ' '.repeat(2_200_000), { status: 413, code: 'tooLarge', error: TOO_LARGE }],
])('a body %s is answered in a sentence', async (_name, body, answer) => {
  const headers = { authorization, origin: new URL(served.url).origin, 'content-type': 'application/json' };
  const response = await fetch(`${served.url}api/orders/x/resolve`, { method: 'POST', headers, body });
  expect({ status: response.status, ...((await response.json()) as object) }).toEqual(answer);
});

test('a port that is taken is refused in a sentence', async () => {
  const place = { stage: 'local', local: true, endpoint: world.aws.endpoint } as const;
  const port = Number(host.split(':')[1]);
  await expect(startConsole({ place, port, onAddress: () => undefined })).rejects.toThrow(
    `Port ${port} is in use by another program. Give --port another port, or leave it out.`,
  );
});

test('every answer forbids scripts of others, frames, guessed types and copies', async () => {
  for (const path of PATHS.slice(0, -1)) {
    const headers = Object.fromEntries((await get(path)).headers);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self'; .*frame-src blob:; .*frame-ancestors 'none'/,
      ),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
});

test('the console listens at 127.0.0.1 only', async () => {
  await expect(fetch(`http://127.0.0.2:${host.split(':')[1]}/`)).rejects.toThrow('fetch failed');
});
