import { X509Certificate } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceUnavailable, UnexpectedResponse } from '../../core/errors.ts';
import { makeSigner } from '../../packages/detached-signatures/certificates.ts';
import { clientAt, fixedToken } from '../helpers/order-service-client.ts';

/** The server's port. It is closed when the test ends. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a server whose certificate no known authority issued gets no request, and so no token', async () => {
  const { certificate, privateKey } = makeSigner('p-256');
  const requests: IncomingMessage[] = [];
  const cert = new X509Certificate(certificate).toString();
  const server = createServer(
    { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    (request, response) => {
      requests.push(request);
      response.end('{}');
    },
  );
  const client = clientAt(`https://127.0.0.1:${await listen(server)}`, fixedToken);
  const failure = await client.createOrder('{}').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ServiceUnavailable);
  expect((failure as Error).message).toContain('Nothing was sent.');
  expect(requests).toEqual([]);
});

test('a redirect is not followed, so the token stays where it belongs', async () => {
  const requests: IncomingMessage[] = [];
  const elsewhere = createHttpServer((request, response) => {
    requests.push(request);
    response.end('{}');
  });
  const location = `http://127.0.0.1:${await listen(elsewhere)}/`;
  const service = createHttpServer((_request, response) => void response.writeHead(307, { location }).end());
  const client = clientAt(`http://127.0.0.1:${await listen(service)}`, fixedToken);
  await expect(client.readOrder('order-1')).rejects.toThrow(UnexpectedResponse);
  expect(requests).toEqual([]);
});
