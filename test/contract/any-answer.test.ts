import { once } from 'node:events';
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, expect, onTestFailed, onTestFinished, test } from 'vitest';
import { requestToken } from '../../core/service/token-request.ts';
import { bytes, holds, json, text } from '../helpers/any-input.ts';
import { answering, listening } from '../helpers/listening.ts';
import { clientAt, fixedToken, tokenSettings } from '../helpers/order-service-client.ts';
import { LARGEST_ANSWER } from '../helpers/read-answers.ts';

let answer: { type: string; coding: string; body: Uint8Array };
const server = createServer((request, response) => {
  const { type, coding, body } = answer;
  const headers = { 'content-type': type, ...(coding !== 'identity' && { 'content-encoding': coding }) };
  request.resume().on('end', () => response.writeHead(200, headers).end(body));
});
const url = await listening(server);
afterAll(() => void server.close());
const client = clientAt(url, fixedToken);

const codings = fc.constantFrom<[string, (body: Uint8Array) => Uint8Array]>(
  ['identity', (body) => body],
  ['gzip', gzipSync],
  ['X-GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
);
const charsets = fc.constantFrom<[string, BufferEncoding]>(
  ['application/json', 'utf8'],
  ['application/json; charset=utf-8', 'utf8'],
  ['application/problem+json;CHARSET="UTF-8"', 'utf8'],
  ['application/json; charset=utf-16le', 'utf16le'],
  ['text/plain', 'utf8'],
);
const ways = fc
  .tuple(codings, charsets, fc.constantFrom('', '\uFEFF'))
  .map(([[coding, encode], [type, charset], mark]) => (body: string) => {
    answer = { type, coding, body: encode(Buffer.from(mark + body, charset)) };
  });

/** JSON of an object that has another value under the same name, and a member that we do not know twice. */
const twice = (members: Record<string, unknown>, some: unknown) =>
  `{"more":[{"name":1,"name":${JSON.stringify(some)}}],${JSON.stringify(members).slice(1)}`;

const identifier = text.map((some) => `${some.slice(0, 90)}1`.toWellFormed());

test('a good answer is read in any coding, with or without a BOM, in the charset that it names, with names twice inside', () =>
  holds(fc.tuple(ways, identifier, json), 300, async ([send, orderId, some]) => {
    const body = twice({ orderId, status: 'IN_WORK', pollAfterSeconds: 5 }, some).toWellFormed();
    send(body);
    expect(await client.createOrder('{}')).toEqual({ orderId });
    const { order, text: read } = await client.readOrder(orderId);
    expect([order.status, order.pollAfterSeconds, read]).toEqual(['IN_WORK', 5, body]);
  }));

test('a good answer of the token endpoint is read in the same ways, also with a name twice', () =>
  holds(fc.tuple(ways, fc.stringMatching(/^[!-~]{1,60}$/), json), 150, async ([send, access_token, some]) => {
    send(`{"scope":"a",${twice({ scope: 'b', access_token, expires_in: 60 }, some).toWellFormed().slice(1)}`);
    const token = await requestToken({ client_id: 'partner', client_secret: 'secret' }, tokenSettings(url));
    expect(token.value).toBe(access_token);
  }));

test('bytes that are not text, or not in their coding, never become an identifier', () =>
  holds(fc.tuple(bytes, charsets, fc.boolean()), 300, async ([some, [type, charset], isCoded]) => {
    const quoted = ['{"orderId":"x', '"}'].map((part) => Buffer.from(part, charset)) as [Buffer, Buffer];
    answer = { type, coding: isCoded ? 'gzip' : 'identity', body: Buffer.concat([quoted[0], some, quoted[1]]) };
    const created = await client.createOrder('{}').catch((error) => error);
    if (!('orderId' in created)) expect(['UnexpectedResponse', 'OutcomeUnknown']).toContain(created.name);
    else new TextDecoder(charset === 'utf8' ? 'utf-8' : 'utf-16le', { fatal: true }).decode(some);
  }));

/** Of the thread that reads. A function has 512 MB. */
const resourceLimits = { maxOldGenerationSizeMb: 112, maxYoungGenerationSizeMb: 16 };
/** Twice as many values are still read, so nothing costs more. */
const HALF_OF_THE_LIMIT = 49_000;

function listOf(element: (index: number) => string, most = HALF_OF_THE_LIMIT): string {
  const elements: string[] = [];
  for (let left = LARGEST_ANSWER - 200; left > 0 && elements.length < most; left -= (elements.at(-1)?.length ?? 0) + 1)
    elements.push(element(elements.length));
  return elements.slice(0, -1).join(',');
}

const ownName = (index: number) => `{"k${index}":0}`;
const fileNumber = (index: number) => `{"fileId":${index}}`;
const longId = (index: number) => `{"offerId":"${'x'.repeat(880)}${index}","fileId":"${'y'.repeat(880)}${index}"}`;
const options = (list: string) => `{"status":"IN_WORK","offers":[{"offerId":"o","creditOptions":[${list}]}]}`;
const documents = (list: string) => `{"status":"WAITING_FOR_SIGNATURE","documents":[${list}]}`;
const answers = [
  options(listOf(fileNumber)),
  options(listOf(ownName)),
  documents(listOf(fileNumber)),
  documents(listOf(longId)),
  options(listOf(ownName, LARGEST_ANSWER)),
  documents(listOf(fileNumber, LARGEST_ANSWER)),
];

test('the answers to reads that cost most are all read or refused, each with less than 128 MB', async () => {
  const url = await answering(({ url }, response) => {
    response.end(answers[Number(/\d+$/.exec(url ?? '')?.[0])]);
  }, onTestFinished);
  const workerData = { url, count: answers.length };
  const thread = new Worker(new URL('../helpers/read-answers.ts', import.meta.url), { resourceLimits, workerData });
  onTestFinished(() => void thread.terminate());
  const seen: string[] = [];
  thread.on('message', (outcome: string) => seen.push(outcome));
  // Reading one that costs too much ends the thread, or does not end.
  onTestFailed(() => console.error('The answer after those that ended:', answers[seen.length]?.slice(0, 200)));
  await once(thread, 'exit');
  expect(seen).toEqual(['read', 'read', 'read', 'read', 'UnexpectedResponse', 'UnexpectedResponse']);
});
