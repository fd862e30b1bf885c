import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Agent } from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { sendRequest } from '../../core/http/http.ts';
import { listening } from '../helpers/listening.ts';
import { clientAt, failure, fileOf, fixedToken } from '../helpers/order-service-client.ts';

const servers: Server[] = [];
const asked = new Set<unknown>();
let closed: Promise<unknown> | undefined;

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  expect([...asked], 'the codings that requests ask for').toEqual(['identity']);
});

async function against(bytes: Buffer, headers: Record<string, string | number>, status = 200, fileTimeout = 20_000) {
  const server = createServer((request, response) => {
    asked.add(request.headers['accept-encoding']);
    closed = once(response, 'close');
    request.resume().on('end', () => response.writeHead(status, headers).end(bytes));
  });
  servers.push(server);
  return clientAt(await listening(server), fixedToken, 20_000, { fileTimeout });
}

const json = (value: object) => Buffer.from(JSON.stringify(value));
const ORDER = json({ status: 'IN_WORK', note: 'Договор '.repeat(5_000) });
const CODINGS: [coding: string, encode: (bytes: Buffer) => Buffer][] = [
  ['gzip', gzipSync],
  ['X-GZIP', (bytes) => Buffer.concat([gzipSync(bytes.subarray(0, 9)), gzipSync(bytes.subarray(9))])],
  ['identity, deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
];

test.each(CODINGS)('an answer in %s is decoded, and one that is not whole is none', async (coding, encode) => {
  const [bytes, headers] = [encode(ORDER), { 'content-encoding': coding }];
  const client = await against(bytes, { ...headers, 'content-length': bytes.length });
  expect((await client.readOrder('o')).text).toBe(ORDER.toString());
  const { body, length } = await client.downloadDocument('o', 'f');
  expect([(await buffer(body)).equals(ORDER), length]).toEqual([true, undefined]);
  const refusal = await failure((await against(encode(json({ why: 'Нет' })), headers, 409)).acceptOrder('o'));
  expect(refusal.call.excerpt).toBe('{"why":"Нет"}');
  for (const wrong of [bytes.subarray(0, -1), Buffer.concat([bytes, ORDER]), ORDER]) {
    const cut = await against(wrong, headers);
    expect((await failure(cut.createOrder('{}'))).name).toBe('OutcomeUnknown');
    expect((await failure(cut.readOrder('o'))).name).toBe('ServiceUnavailable');
    await expect(cut.downloadDocument('o', 'f').then((file) => buffer(file.body))).rejects.toThrow();
  }
});

const unusable = (problem: string) => ({ name: 'UnexpectedResponse', message: expect.stringContaining(problem) });

test.each<[string, Record<string, string>]>([
  ['zstd', { 'content-encoding': 'zstd' }],
  ['gzip, br', { 'content-encoding': 'gzip, br' }],
  ['utf-8, gzip', { 'transfer-encoding': 'gzip, chunked', 'content-encoding': 'utf-8' }],
])('an answer in %s is unusable', async (named, headers) => {
  const client = await against(zstdCompressSync(ORDER), headers);
  for (const error of await Promise.all([client.readOrder('o'), client.createOrder('{}')].map(failure)))
    expect(error).toMatchObject(unusable(`its content-encoding ${named} cannot be undone`));
});

test.each([
  ['content-encoding', 'zstd', 'cannot be undone'],
  ['content-type', 'application/xhtml+xml; charset=utf-8', 'is not accepted'],
  ['content-type', 'text/html, application/pdf', 'is not accepted'],
])('a download with the %s %j is an outage, and its connection is closed', async (name, value, problem) => {
  const client = await against(Buffer.alloc(2 ** 24), { [name]: value }, 200, 60_000);
  const outage = { ...unusable(problem), name: 'ServiceUnavailable' };
  expect(await failure(client.downloadDocument('o', 'f'))).toMatchObject(outage);
  await closed;
});

test.each(['br', 'zstd'])('an unreadable 201 (%s) counts for a signature, and keeps its Location', async (coding) => {
  const client = await against(windows1251, { 'content-encoding': coding, location: '/v1/orders/o-7' }, 201);
  expect(await client.uploadSignature('o', 'f', fileOf(windows1251))).toBeUndefined();
  expect((await failure(client.createOrder('{}'))).call.location).toBe('/v1/orders/o-7');
});

test('two megabytes that become two gigabytes end with an error, in little memory', async () => {
  const bytes = Buffer.concat(Array(2_048).fill(gzipSync(Buffer.alloc(2 ** 20, ' '))));
  const before = process.memoryUsage().rss;
  const headers = { 'content-encoding': 'gzip' };
  expect(await failure((await against(bytes, headers)).readOrder('o'))).toMatchObject(unusable('longer than 8388608'));
  expect((await failure((await against(bytes, headers, 500)).readOrder('o'))).name).toBe('ServiceUnavailable');
  const { body } = await (await against(bytes, headers, 200, 300)).downloadDocument('o', 'f');
  await expect(Array.fromAsync(body, ({ length }) => length)).rejects.toThrow('aborted');
  expect(process.memoryUsage().rss - before).toBeLessThan(128 * 2 ** 20);
});

const windows1251 = Buffer.from([...json({ orderId: '' }).subarray(0, -2), 0xc4, 0xee, 0xe3, 0x22, 0x7d]);
const utf16 = (text: string) => Buffer.from(text, 'utf16le');

test.each<[string, Buffer, string]>([
  ['UTF-8 after a byte order mark', Buffer.from('\ufeff{"orderId":"Дог"}'), ''],
  ['windows-1251', windows1251, '"Windows-1251"'],
  ['windows-1251, declared twice', windows1251, "'windows-1251', text/html"],
  ['UTF-8, declared otherwise', json({ orderId: 'Дог' }), 'ISO-8859-1'],
  ['UTF-16', utf16('{"orderId":"Дог"}'), 'utf-16'],
  ['UTF-16 after a byte order mark', utf16('\ufeff{"orderId":"Дог"}').swap16(), 'utf-16'],
])('an identifier in %s is read', async (_what, bytes, charset) => {
  const client = await against(bytes, { 'content-type': `application/json; charset=${charset}` });
  expect(await client.createOrder('{}')).toEqual({ orderId: 'Дог' });
});

test.each<[string, Buffer, string]>([
  ['it is not text in utf-8', windows1251, ''],
  ['it is not text in utf-16le', utf16('{"orderId":"\ud800"}'), 'utf-16le'],
  ['its charset koi-9 is unknown', windows1251, 'koi-9'],
])('no identifier is made of an answer of which is said: %s', async (problem, bytes, charset) => {
  const client = await against(bytes, { 'content-type': `application/json; charset=${charset}` });
  const calls = [client.createOrder('{}'), client.uploadSignature('o', 'f', fileOf(bytes)), client.readOrder('o')];
  for (const error of await Promise.all(calls.map(failure))) expect(error).toMatchObject(unusable(problem));
});

test('a connection attempt has time for a handshake of which packets are lost', async () => {
  let given: TcpNetConnectOpts | undefined;
  class Watched extends Agent {
    override createConnection(options: TcpNetConnectOpts): undefined {
      given = options;
      throw new Error('enough');
    }
  }
  const connection = { kept: new Watched(), fresh: new Watched() };
  const timeouts = { idleTimeout: 9_000, totalTimeout: 9_000 };
  const request = { method: 'GET', url: new URL('https://bank'), headers: {}, reuseConnection: true } as const;
  await failure(sendRequest(async () => ({ ...request, ...timeouts, connection })));
  expect(given?.autoSelectFamilyAttemptTimeout).toBeGreaterThan(3_000);
});
