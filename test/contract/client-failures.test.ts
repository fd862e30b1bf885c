import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import type { OrderError } from '../../core/errors.ts';
import { clientAt, fileOf, fixedToken } from '../helpers/order-service-client.ts';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((closed) => server.close(closed))));
});

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of a service that answers every call in this way. */
async function against(answer: Answer, callTimeout?: number) {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
    request.on('error', () => response.destroy());
  });
  server.keepAliveTimeout = 1;
  return clientAt(await listen(server), fixedToken, callTimeout);
}

async function failure(call: Promise<unknown>): Promise<OrderError> {
  return call.then(
    () => expect.fail('the call should have failed'),
    (error) => error,
  );
}

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Answer =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);

test.each([
  [301, 'UnexpectedResponse', 'UnexpectedResponse'],
  [400, 'Rejected', 'Rejected'],
  [401, 'Unauthorized', 'Unauthorized'],
  [403, 'Rejected', 'Rejected'],
  [404, 'Rejected', 'Rejected'],
  [408, 'OutcomeUnknown', 'ServiceUnavailable'],
  [409, 'Rejected', 'Rejected'],
  [429, 'Throttled', 'Throttled'],
  [500, 'OutcomeUnknown', 'ServiceUnavailable'],
  [502, 'OutcomeUnknown', 'ServiceUnavailable'],
  [503, 'ServiceUnavailable', 'ServiceUnavailable'],
  [504, 'OutcomeUnknown', 'ServiceUnavailable'],
])('the status %i is %s for a change and %s for a read', async (code, change, read) => {
  const client = await against(status(code));
  expect(await failure(client.acceptOrder('o'))).toMatchObject({ name: change, call: { httpStatus: code } });
  expect(await failure(client.readOrder('o'))).toMatchObject({ name: read, call: { httpStatus: code } });
});

test('a refused connection proves that nothing was sent', async () => {
  const server = createSocketServer();
  const address = await listen(server);
  await new Promise((closed) => server.close(closed));
  servers.length = 0;
  const error = await failure(clientAt(address, fixedToken).createOrder('{}'));
  expect(error).toMatchObject({ name: 'ServiceUnavailable' });
  expect(error.message).toContain('Nothing was sent');
});

test('a redirect is not followed, so the token stays where it belongs', async () => {
  let requests = 0;
  const elsewhere = await listen(createServer((_request, response) => void response.end(`${++requests}`)));
  const client = await against(status(307, { location: elsewhere }));
  expect((await failure(client.readOrder('o'))).name).toBe('UnexpectedResponse');
  expect(requests).toBe(0);
});

test('a reset after the request was sent leaves the outcome of a change unknown', async () => {
  const client = await against((request) => request.socket.destroy());
  expect((await failure(client.createOrder('{}'))).name).toBe('OutcomeUnknown');
  expect((await failure(client.readOrder('o'))).name).toBe('ServiceUnavailable');
});

test('no answer in time leaves the outcome of a change unknown', async () => {
  const client = await against(() => undefined, 50);
  expect((await failure(client.confirmOffer('o', { offerId: 'a', code: 'b' }))).name).toBe('OutcomeUnknown');
  expect((await failure(client.readOrder('o'))).name).toBe('ServiceUnavailable');
});

const cut: Answer = (_request, response) => {
  response.writeHead(201, { 'content-length': '100' }).write('{"orderId":"o-1"');
  setImmediate(() => response.destroy());
};

test('a body that is cut in half leaves the outcome of a creation unknown and a read to be repeated', async () => {
  const client = await against(cut);
  expect((await failure(client.createOrder('{}'))).name).toBe('OutcomeUnknown');
  expect((await failure(client.readOrder('o'))).name).toBe('ServiceUnavailable');
});

test.each([
  ['empty', ''],
  ['HTML', '<html>error</html>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['no orderId', '{}'],
  ['an empty orderId', '{"orderId":""}'],
  ['10 MB', `{"x":"${'x'.repeat(10 * 1024 * 1024)}"}`],
])('an answer to a creation whose body is %s is an UnexpectedResponse', async (_name, body) => {
  const client = await against(status(201, { 'content-type': 'application/json' }, body));
  const error = await failure(client.createOrder('{}'));
  expect(error.name).toBe('UnexpectedResponse');
  expect(error.message.length).toBeLessThan(300);
});

test('Throttled contains the Retry-After, given as seconds or as a date', async () => {
  const seconds = await against(status(429, { 'retry-after': '7' }));
  expect(await failure(seconds.readOrder('o'))).toMatchObject({ call: { retryAfterSeconds: 7 } });
  const past = await against(status(429, { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }));
  expect(await failure(past.readOrder('o'))).toMatchObject({ call: { retryAfterSeconds: 0 } });
  const nonsense = await against(status(429, { 'retry-after': 'later' }));
  expect(await failure(nonsense.readOrder('o'))).toMatchObject({ call: { retryAfterSeconds: undefined } });
});

test('an answer before the whole file is read counts, although the service closes the connection', async () => {
  const server = createServer((request, response) => {
    request.once('data', () => response.writeHead(413, { connection: 'close' }).end('too large'));
  });
  const client = clientAt(await listen(server), fixedToken);
  let answered = () => {};
  const waits = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const open = async () =>
    Readable.from(
      (async function* () {
        yield Buffer.alloc(1024);
        await waits;
        yield Buffer.alloc(1024);
      })(),
    );
  const error = await failure(
    client.uploadDocument('o', {}, { name: 'large', contentType: 'a/b', size: 1 << 30, open }),
  );
  answered();
  expect(error).toMatchObject({ name: 'Rejected', call: { httpStatus: 413 } });
});

test('an upload whose file cannot be opened was not sent', async () => {
  const client = await against(status(201));
  const open = async () => Promise.reject(new Error('no such version'));
  const error = await failure(client.uploadDocument('o', {}, { ...fileOf(Buffer.from('x')), open }));
  expect(error).toMatchObject({ name: 'ServiceUnavailable' });
  expect(error.message).toContain('Nothing was sent');
});

test('an upload whose file breaks off has an unknown outcome', async () => {
  let arrived = () => {};
  const firstHalf = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer((request) => request.once('data', () => arrived()));
  const client = clientAt(await listen(server), fixedToken);
  const open = async () =>
    Readable.from(
      (async function* () {
        yield Buffer.from('half');
        await firstHalf;
        throw new Error('the source broke');
      })(),
    );
  const error = await failure(client.uploadDocument('o', {}, { name: 'f', contentType: 'a/b', size: 100, open }));
  expect(error.name).toBe('OutcomeUnknown');
});

test.each([200, 201, 202, 204, 206])(
  'the status %i is a success only for the calls for which the specification shows it',
  async (code) => {
    const client = await against(status(code, { 'content-type': 'text/html' }, code === 204 ? '' : '<html></html>'));
    const file = () => fileOf(Buffer.from('x'));
    const calls: [number, () => Promise<unknown>][] = [
      [201, () => client.uploadDocument('o', {}, file())],
      [202, () => client.acceptOrder('o')],
      [202, () => client.confirmOffer('o', { offerId: 'offer', code: 'code' })],
      [200, () => client.downloadDocument('o', 'file').then(({ body }) => body.resume())],
    ];
    for (const [success, call] of calls) {
      if (code === success) await call();
      else expect(await failure(call())).toMatchObject({ name: 'UnexpectedResponse', call: { httpStatus: code } });
    }
  },
);

test('names and content types cannot inject headers', async () => {
  let seen = '';
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => {
      seen += text;
    });
    request.on('end', () => response.writeHead(201).end());
  });
  const client = clientAt(await listen(server), fixedToken);
  const file = { ...fileOf(Buffer.from('x')), name: 'a"\r\nX-Evil: 1', contentType: 'a/b\r\nX-Evil: 2' };
  await client.uploadDocument('o', { 'na"me': 'value' }, file);
  expect(seen).not.toMatch(/^X-Evil/m);
  expect(seen).toContain('filename="a%22%0D%0AX-Evil: 1"');
});

test('reads reuse a connection, and a call that changes something never uses an idle one', async () => {
  let connections = 0;
  const server = createServer((request, response) => {
    request
      .resume()
      .on('end', () =>
        response
          .writeHead(request.method === 'GET' ? 200 : 202, { 'content-type': 'application/json' })
          .end('{"status":"IN_WORK"}'),
      );
  });
  server.on('connection', () => {
    connections += 1;
  });
  const client = clientAt(await listen(server), fixedToken);
  await client.readOrder('o');
  await client.readOrder('o');
  expect(connections).toBe(1);
  await client.acceptOrder('o');
  await client.acceptOrder('o');
  expect(connections).toBe(3);
  server.closeAllConnections();
});
