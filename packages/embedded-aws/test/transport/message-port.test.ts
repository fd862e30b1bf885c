import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import type { Serve } from '../../transport/http.ts';
import { PortClient } from '../../transport/port-client.ts';
import { servePort } from '../../transport/port-server.ts';

/** More bytes than one message can carry. */
const LARGE = 'x'.repeat(1_000_000);

function open(serve: Serve): PortClient {
  const { port1, port2 } = new MessageChannel();
  servePort(port1, serve);
  onTestFinished(() => port1.close());
  return new PortClient(port2);
}

/** Answers with method, path and body of the request. */
const echo: Serve = async (request, response) => {
  const body = await text(request);
  response.writeHead(201, { 'x-path': `${request.method} ${request.url}` }).end(body);
};

test.each([
  ['an empty body', ''],
  ['a body in one message', 'small'],
  ['a body in many messages', LARGE],
])('the message port carries a request with %s and its response', async (_size, body) => {
  const request = open(echo).request({ method: 'PUT', path: '/bucket/key?a=b', headers: { Host: 'here' } });
  request.end(body);
  const [response] = await once(request, 'response');
  expect([response.statusCode, response.headers['x-path']]).toEqual([201, 'PUT /bucket/key?a=b']);
  expect(await text(response)).toBe(body);
});

test('the message port sends a large response only as fast as it is read', async () => {
  let written = 0;
  const request = open((_request, response) => {
    response.on('error', () => undefined);
    const write = () => {
      while (written < 100 && response.write(LARGE)) written += 1;
      written += 1;
      if (written < 100) response.once('drain', write);
      else response.end();
    };
    write();
  }).request({ method: 'GET', path: '/' });
  request.end();
  const [response] = await once(request, 'response');
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBeLessThan(10);
  expect((await text(response)).length % LARGE.length).toBe(0);
  expect(written).toBeGreaterThanOrEqual(100);
});

test('the message port answers 100 Continue to a client that asks before it sends a large body', async () => {
  const request = open(echo).request({ method: 'PUT', path: '/', headers: { Expect: '100-continue' } });
  await once(request, 'continue');
  request.end('body');
  const [response] = await once(request, 'response');
  expect(await text(response)).toBe('body');
});

test('the message port ends a request like a closed connection when its answer is dropped', async () => {
  const request = open((_request, response) => void response.destroy()).request({ method: 'GET', path: '/' });
  request.end();
  const [error] = await once(request, 'error');
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

test('the message port reports a response that breaks off to its reader, and needs no reader', async () => {
  const client = open((_request, response) => {
    response.on('error', () => undefined);
    response.write(LARGE);
    response.write(LARGE, () => response.destroy());
  });
  const [read, unread] = [client.request({ path: '/' }), client.request({ path: '/' })];
  for (const request of [read, unread]) request.end();
  const [[response], [alone]] = await Promise.all([once(read, 'response'), once(unread, 'response')]);
  await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
  alone.resume();
  // events.once is not used here, because it would listen for the error.
  await new Promise((resolve) => alone.once('close', resolve));
});

test('the message port aborts the request on the server when the client gives up', async () => {
  const closed = Promise.withResolvers<boolean>();
  const request = open((incoming, response) => {
    incoming.on('error', () => undefined);
    response.once('close', () => closed.resolve(response.writableFinished));
  }).request({ method: 'GET', path: '/' });
  request.end();
  await new Promise((resolve) => setImmediate(resolve));
  request.destroy();
  expect(await closed.promise).toBe(false);
});
