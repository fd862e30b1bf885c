import type { RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { loggable } from '../../core/errors.ts';
import { callFailureOf } from '../../core/ledger/knowledge.ts';
import type { OrderServiceOptions } from '../../core/order-service/order-service-client.ts';
import { requestToken } from '../../core/service/token-request.ts';
import { answering, freePort } from '../helpers/listening.ts';
import { clientAt, failure, fileOf, fixedToken, tokenSettings } from '../helpers/order-service-client.ts';

const serving = (listener: RequestListener) => answering(listener, onTestFinished);

async function against(answer: RequestListener, callTimeout?: number, options?: Partial<OrderServiceOptions>) {
  const url = await serving((request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
    request.on('error', () => response.destroy());
  });
  return clientAt(url, fixedToken, callTimeout, options);
}

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): RequestListener =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);

const cutInHalf =
  (code: number): RequestListener =>
  (_request, response) => {
    response.writeHead(code, { 'content-length': '100' }).write('{"orderId":"o-1","access_token":"t"');
    setImmediate(() => response.destroy());
  };

const [LOST, OUTAGE, ODD] = ['OutcomeUnknown', 'ServiceUnavailable', 'UnexpectedResponse'];
/** What the status of an answer means for a change, a read and a download. */
const MEANINGS = {
  'Rejected Rejected Rejected': [403],
  [`${OUTAGE} ${OUTAGE} ${OUTAGE}`]: [401],
  'Throttled Throttled Throttled': [429],
  [`Rejected ${ODD} ${OUTAGE}`]: [400, 404, 405, 409, 410, 413, 415, 422, 451],
  [`${LOST} ${OUTAGE} ${OUTAGE}`]: [407, 408, 421, 423, 425, 499, 500, 502, 503, 504, 507, 599],
  [`${LOST} ${ODD} ${OUTAGE}`]: [204, 207, 301, 302, 303, 304, 307],
};

test.each(Object.entries(MEANINGS).flatMap(([names, codes]) => codes.map((code) => [code, names] as const)))(
  'the status %i is %s for a change, a read and a download',
  async (code, names) => {
    const client = await against(status(code));
    const calls = [client.acceptOrder('o'), client.readOrder('o'), client.downloadDocument('o', 'f')];
    const errors = await Promise.all(calls.map(failure));
    expect(errors.map(({ name }) => name).join(' ')).toBe(names);
    for (const { call } of errors) expect(call.httpStatus).toBe(code);
  },
);

test("the service's words on a refusal are in the excerpt alone", async () => {
  const error = await failure((await against(status(409, {}, 'Not yet.'))).acceptOrder('o'));
  const facts = { subject: 'Order order-10045', operation: 'test', httpStatus: 409, excerpt: 'Not yet.' };
  expect(error).toMatchObject({ name: 'Rejected', call: facts, message: expect.stringContaining('409') });
  expect(error.message).not.toContain('Not yet.');
});

const notSent = { name: 'ServiceUnavailable', message: expect.stringContaining('Nothing was sent') };

test('a refused connection proves that nothing was sent', async () => {
  const address = `http://127.0.0.1:${await freePort()}`;
  expect(await failure(clientAt(address, fixedToken).createOrder('{}'))).toMatchObject(notSent);
});

test('a redirect is not followed, so the token stays where it belongs', async () => {
  let requests = 0;
  const elsewhere = await serving((_request, response) => void response.end(`${++requests}`));
  const client = await against(status(307, { location: elsewhere }));
  const error = await failure(client.readOrder('o'));
  expect(error).toMatchObject({ name: 'UnexpectedResponse', call: { location: elsewhere } });
  expect(loggable(error.call)).not.toHaveProperty('location');
  expect(requests).toBe(0);
});

test.each<[string, RequestListener]>([
  ['a reset after the request was sent', (request) => request.socket.destroy()],
  ['no answer in time', () => undefined],
  ['a body that is cut in half', cutInHalf(201)],
  ['503 with an epoch as Retry-After', status(503, { 'retry-after': '1793000000' })],
])('%s leaves the outcome of a change unknown, and a read to be repeated', async (_what, answer) => {
  // Long enough to connect and to write the request on a busy machine.
  const client = await against(answer, 500);
  expect((await failure(client.createOrder('{}'))).name).toBe('OutcomeUnknown');
  expect((await failure(client.readOrder('o'))).name).toBe('ServiceUnavailable');
});

test.each([
  ['empty', ''],
  ['HTML', '<html>error</html>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['no orderId', '{}'],
  ['10 MB', `{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`],
])('an answer to a creation whose body is %s is an UnexpectedResponse', async (_name, body) => {
  const client = await against(status(201, { 'content-type': 'application/json' }, body));
  const error = await failure(client.createOrder('{}'));
  expect(error.name).toBe('UnexpectedResponse');
  expect(error.message.length).toBeLessThan(300);
});

test.each([
  [429, '7', 7],
  [429, 'Thu, 01 Jan 1970 00:00:00 GMT', 0],
  [429, 'later', undefined],
  [503, '7', 7],
])('the status %i is Throttled with the Retry-After %j in seconds', async (code, header, retryAfterSeconds) => {
  const client = await against(status(code, { 'retry-after': header }));
  for (const call of [client.readOrder('o'), client.acceptOrder('o')])
    expect(await failure(call)).toMatchObject({ name: 'Throttled', call: { retryAfterSeconds } });
});

const noHttp: RequestListener = ({ socket }) => void socket.end('[null]\r\n\r\n');

test.each<readonly [string, RequestListener, string]>([
  ['has no token', status(200, {}, '{"expires_in":60}'), 'ServiceUnavailable'],
  ['has a token that no header can carry', status(200, {}, '{"access_token":"to ken"}'), 'ServiceUnavailable'],
  ['is a page', status(200, {}, '<html></html>'), 'ServiceUnavailable'],
  ['has no body', status(204), 'ServiceUnavailable'],
  ['is cut in half', cutInHalf(200), 'ServiceUnavailable'],
  ['is not HTTP', noHttp, 'ServiceUnavailable'],
  ...[302, 400, 401, 403, 404, 500].map(
    (code) => [`is ${code}`, status(code, {}, '<html>'), 'ServiceUnavailable'] as const,
  ),
  ...['invalid_client', 'unauthorized_client', 'invalid_grant', 'invalid_scope'].map(
    (error) => [`names ${error}`, status(400, {}, `{"error":"${error}"}`), 'Unauthorized'] as const,
  ),
  ['is 401 with one of them', status(401, {}, '{"error":"invalid_client"}'), 'Unauthorized'],
  ['names another error', status(400, {}, '{"error":"invalid_request"}'), 'ServiceUnavailable'],
  ['is 429', status(429), 'Throttled'],
  ['is 503 with Retry-After', status(503, { 'retry-after': '9' }), 'Throttled'],
])('a call whose request for a token gets an answer that %s is not sent', async (_what, answer, name) => {
  let calls = 0;
  const url = await serving((request, response) => {
    if (request.url !== '/oauth2/token') calls += 1;
    request.resume().on('end', () => answer(request, response));
  });
  const ask = () => requestToken({ client_id: 'a', client_secret: 'b' }, tokenSettings(url)).then(({ value }) => value);
  const error = await failure(clientAt(url, { token: ask, replace: ask }).createOrder('{}'));
  expect([error.name, callFailureOf(error), calls, /, too/.test(error.message)]).toEqual([name, 'not sent', 0, false]);
});

function halves(size: number, rest: () => Buffer) {
  const first = Promise.withResolvers<void>();
  const open = async () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(1024);
        await first.promise;
        yield rest();
      })(),
    );
  return { file: { name: 'large', contentType: 'a/b', size, open }, goOn: first.resolve };
}

test('an answer before the whole file is read counts, although the service closes the connection', async () => {
  const url = await serving((request, response) => {
    request.once('data', () => response.writeHead(413, { connection: 'close' }).end('too large'));
  });
  const { file, goOn } = halves(1 << 30, () => Buffer.alloc(1024));
  const error = await failure(clientAt(url, fixedToken).uploadDocument('o', {}, file));
  goOn();
  expect(error).toMatchObject({ name: 'Rejected', call: { httpStatus: 413 } });
});

test('an upload whose file cannot be opened was not sent; one whose file breaks off has an unknown outcome', async () => {
  const open = async () => Promise.reject(new Error('no such version'));
  const closed = { ...fileOf(Buffer.from('x')), open };
  expect(await failure((await against(status(201))).uploadDocument('o', {}, closed))).toMatchObject(notSent);
  const { file, goOn } = halves(10_000, () => {
    throw new Error('the source broke');
  });
  const client = clientAt(await serving((request) => request.once('data', goOn)), fixedToken);
  expect((await failure(client.uploadDocument('o', {}, file))).name).toBe('OutcomeUnknown');
});

test.each([200, 201, 202, 204, 206])(
  'the status %i is a success only for the calls for which the specification shows it, or the stage',
  async (code) => {
    const client = await against(status(code, { 'content-type': 'a/b' }, code === 204 ? '' : 'bytes'));
    const calls: [number, () => Promise<unknown>][] = [
      [201, () => client.uploadDocument('o', {}, fileOf(Buffer.from('x')))],
      [202, () => client.acceptOrder('o')],
      [202, () => client.confirmOffer('o', { offerId: 'offer', code: 'code' })],
      [200, () => client.downloadDocument('o', 'file').then(({ body }) => body.resume())],
    ];
    for (const [success, call] of calls) {
      const name = success === 200 ? 'ServiceUnavailable' : 'OutcomeUnknown';
      if (code === success) await call();
      else expect(await failure(call())).toMatchObject({ name, call: { httpStatus: code } });
    }
    const stage = await against(status(code), undefined, { uploaded: [code] });
    await stage.uploadDocument('o', {}, fileOf(Buffer.from('x')));
    expect(await stage.uploadSignature('o', 'f', fileOf(Buffer.from('x')))).toBeUndefined();
  },
);

test.each<[string, RequestListener, string[]?]>([
  ['is a page', status(200, { 'content-type': 'Text/HTML; charset=utf-8' }, '<html>')],
  ['is a page, whatever else is accepted', status(200, { 'content-type': 'text/html' }, '<html>'), ['text/*', '*/*']],
  ['is empty', status(200, { 'content-type': 'application/pdf' })],
  [
    'is empty, without its length',
    (_request, response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end(),
  ],
  ['has a type that the stage does not accept', status(200, { 'content-type': 'image/png' }, 'x'), ['application/pdf']],
])('a download that %s is an outage, and its answer is kept', async (_what, answer, documentTypes = ['*/*']) => {
  const client = await against(answer, undefined, { documentTypes });
  const error = await failure(client.downloadDocument('o', 'f'));
  expect(error).toMatchObject({ name: 'ServiceUnavailable', call: { httpStatus: 200, excerpt: expect.any(String) } });
});

test.each(['image/png', 'text/html'])(
  'a document of the accepted type %s has the bytes that were sent',
  async (type) => {
    const documentTypes = ['image/*', 'text/html'];
    const answer = status(200, { 'content-type': type }, 'x'.repeat(100_000));
    const { body } = await (await against(answer, undefined, { documentTypes })).downloadDocument('o', 'f');
    expect((await buffer(body)).length).toBe(100_000);
  },
);

test('names and content types cannot inject headers, and text fields name their charset where a stage says so', async () => {
  let seen = '';
  const url = await serving((request, response) => {
    request.setEncoding('utf8').on('data', (text) => (seen += text));
    request.on('end', () => response.writeHead(201).end());
  });
  const client = clientAt(url, fixedToken, 20_000, { fieldCharset: 'utf-8' });
  const file = { ...fileOf(Buffer.from('x')), name: 'a"\r\nX-Evil: 1', contentType: 'a/b\r\nX-Evil: 2' };
  await client.uploadDocument('o', { 'na"me': 'значение' }, file);
  expect(seen).toContain('name="na%22me"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nзначение\r\n');
  expect(seen).not.toMatch(/^X-Evil/m);
  expect(seen).toContain('filename="a%22%0D%0AX-Evil: 1"');
});

test('reads reuse a connection, and a call that changes something never uses an idle one', async () => {
  const connections = new Set<unknown>();
  const url = await serving((request, response) => {
    connections.add(request.socket);
    const code = request.method === 'GET' ? 200 : 202;
    request.resume().on('end', () => response.writeHead(code).end('{"status":"IN_WORK"}'));
  });
  const client = clientAt(url, fixedToken);
  for (const expected of [1, 1]) {
    await client.readOrder('o');
    expect(connections.size).toBe(expected);
  }
  for (const expected of [2, 3]) {
    await client.acceptOrder('o');
    expect(connections.size).toBe(expected);
  }
});
