import { createPrivateKey } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { makeAuthority } from '@business-loan-orders/detached-signatures/certificates';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { requestToken } from '../../core/service/token-request.ts';
import { failure, tokenSettings } from '../helpers/order-service-client.ts';
import {
  EXPIRED,
  issue,
  listen,
  NOT_YET,
  OpensslServer,
  opensslInstalled,
  secretOf,
  TlsService,
} from '../helpers/tls-service.ts';
import { clientOf, connectionsOf, created, opened, openPartner, secretWith } from './secured-client.ts';

const wrong = issue('intruder', { authority: makeAuthority({ commonName: 'Another authority' }) });
describe('a service that requires a client certificate', () => {
  test('is called with the certificate of the secret, and so is the authorization service', async () => {
    const service = await opened(TlsService.start(created));
    const token = await opened(
      TlsService.start((_request, response) => void response.end('{"access_token":"abc","expires_in":60}')),
    );
    const connections = connectionsOf(secretWith(secretOf(issue('partner'))));
    expect(await clientOf(service.url, connections).createOrder('{}')).toEqual({ orderId: '81185d2b' });
    const credentials = { client_id: 'a', client_secret: 'b' };
    const settings = { ...tokenSettings(token.url), connections };
    expect(await requestToken(credentials, settings)).toMatchObject({ value: 'abc' });
    expect([...service.clients, ...token.clients]).toEqual(['partner', 'partner']);
  });

  test('accepts an encrypted key with its passphrase', async () => {
    const service = await opened(TlsService.start(created));
    const { cert, key } = issue('partner');
    const cipher = { cipher: 'aes-256-cbc', passphrase: 'open sesame' };
    const encrypted = createPrivateKey(key).export({ type: 'pkcs8', format: 'pem', ...cipher });
    const secret = { certificate: cert, privateKey: encrypted, passphrase: 'open sesame' };
    const connections = connectionsOf(secretWith(JSON.stringify(secret)));
    await clientOf(service.url, connections).createOrder('{}');
    expect(service.clients).toEqual(['partner']);
  });
});

describe.skipIf(!opensslInstalled).each([
  ['TLS 1.3', '-tls1_3'],
  ['TLS 1.3 without tickets', '-tls1_3', '-num_tickets', '0'],
  ['TLS 1.2', '-tls1_2'],
])('a server that refuses the certificate by %s', (_version, ...options) => {
  const afterAll = String(Date.UTC(2060, 0, 1) / 1000);
  const forged = issue('partner', { authority: makeAuthority({ commonName: 'Bank authority' }) });
  const good = issue('partner');
  test.each([
    ['of an unknown authority', wrong, 'it does not know the authority that issued it', []],
    ['with a wrong signature', forged, 'its signature is wrong', []],
    ['that expired by its clock', good, 'it has expired by the clock of the service', ['-attime', afterAll]],
  ])('proves that a creation with a certificate %s was not sent', async (_which, pem, reason, more) => {
    const server = await opened(OpensslServer.start(...options, ...more));
    const secret = secretWith(secretOf(pem));
    const error = await failure(clientOf(server.url, connectionsOf(secret)).createOrder('{}'));
    expect(error).toMatchObject({ name: 'Unauthorized' });
    expect(error.message).toContain(`Create order: the order service refused the client certificate: ${reason}.`);
    expect(error.message).toContain('Nothing was sent. Put the right one into its secret');
    expect(secret.reads).toBe(2);
  });

  test('proves that a creation without a certificate was not sent', async () => {
    const server = await opened(OpensslServer.start(...options));
    const error = await failure(clientOf(server.url, connectionsOf(undefined)).createOrder('{}'));
    expect(error.message).toContain('a client certificate');
    expect(error.message).toContain('Nothing was sent. If it does, set clientCertificate of the stage');
    expect(error.name).toBe(options[0] === '-tls1_2' ? 'ServiceUnavailable' : 'Unauthorized');
  });
});

test.skipIf(!opensslInstalled)('a server that sends no session tickets gets the creation after a moment', async () => {
  const server = await opened(OpensslServer.start('-tls1_3', '-num_tickets', '0'));
  server.answerNext('HTTP/1.1 201 Created\r\ncontent-length: 22\r\n\r\n{"orderId":"81185d2b"}');
  const connections = connectionsOf(secretWith(secretOf(issue('partner'))));
  const { setTimeout } = globalThis;
  const sooner = (end: () => void, milliseconds: number) => setTimeout(end, milliseconds === 500 ? 1 : milliseconds);
  const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(sooner as typeof setTimeout);
  onTestFinished(() => timer.mockRestore());
  expect(await clientOf(server.url, connections).createOrder('{}')).toEqual({ orderId: '81185d2b' });
  expect(timer).toHaveBeenCalledWith(expect.any(Function), 500);
});

/** Passes bytes on, but those of the server late once its part of the handshake is over. */
async function slowRefusals(url: string) {
  const server = createServer((client) => {
    let flights = 0;
    const upstream = connect(Number(new URL(url).port), 'localhost');
    client.on('data', (bytes) => {
      flights += 1;
      upstream.write(bytes);
    });
    upstream.on('data', async (bytes) => {
      if (flights > 1) await delay(1_000);
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.on('close', () => upstream.destroy());
  });
  const port = await listen(server);
  const close = () => new Promise<void>((closed) => void server.close(() => closed()));
  return { url: `https://localhost:${port}`, close };
}

test.skipIf(!opensslInstalled)(
  'a refusal after the request was written leaves a creation unknown, but not a read',
  async () => {
    const server = await opened(OpensslServer.start('-tls1_3', '-num_tickets', '0'));
    const slow = await opened(slowRefusals(server.url));
    const secret = secretWith(secretOf(wrong));
    const client = clientOf(slow.url, connectionsOf(secret));
    const unknown = await failure(client.createOrder('{}'));
    expect(unknown.name).toBe('OutcomeUnknown');
    expect(unknown.message).toContain('refused the client certificate: it does not know the authority that issued it.');
    expect(unknown.message).toContain('The request was already written: it may or may not have been done.');
    expect(secret.reads).toBe(1);
    const read = await failure(client.readOrder('o'));
    expect(read).toMatchObject({ name: 'Unauthorized', message: expect.stringContaining('Nothing was done.') });
  },
);

test('a server that never answers the handshake gets nothing', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).resume());
  const url = `https://localhost:${await listen(server)}`;
  const client = clientOf(url, connectionsOf(undefined), 300);
  const accept = await failure(client.acceptOrder('o'));
  expect(accept).toMatchObject({ name: 'ServiceUnavailable', message: expect.stringContaining('Nothing was sent.') });
  await new Promise((closed) => server.close(closed));
});

test('a server that closes the connection after the request was written leaves the creation unknown', async () => {
  const { service, secret, client } = await openPartner((request) => void request.socket.destroy());
  expect(await failure(client.createOrder('{}'))).toMatchObject({ name: 'OutcomeUnknown' });
  expect([service.clients.length, secret.reads]).toEqual([1, 1]);
  await failure(client.readOrder('o'));
  expect(secret.reads).toBeGreaterThan(1);
});

describe('a certificate that cannot be used is not shown to anybody', () => {
  const good = issue('partner');
  const ofPartner = (validity: typeof EXPIRED) => secretOf(issue('partner', { validity }));
  test.each([
    ['empty', undefined, 'The secret of the client certificate is empty.'],
    ['not PEM', 'hello', 'has no certificate in PEM.'],
    ['broken JSON', '{"certificate": ', 'is neither PEM nor JSON.'],
    ['without a key', good.cert, 'has no private key in PEM.'],
    ['without a certificate', good.key, 'has no certificate in PEM.'],
    ['malformed', good.cert.replace(/^[A-Z]/m, '!') + good.key, 'a certificate that cannot be read (number 1).'],
    ['malformed key', good.cert + good.key.replace('MI', 'II'), 'has a private key that cannot be read.'],
    ['of another key', good.cert + issue('other').key, 'a private key that does not belong to its first certificate.'],
    ['expired', ofPartner(EXPIRED), 'expired at 2021-01-01T00:00:00.000Z.'],
    ['not yet valid', ofPartner(NOT_YET), 'is not valid before 2048-01-01T00:00:00.000Z.'],
  ])('%s', async (_which, secret, sentence) => {
    const service = await opened(TlsService.start(created));
    const error = await failure(clientOf(service.url, connectionsOf(secretWith(secret))).createOrder('{}'));
    expect(error.name).toBe('Unauthorized');
    for (const part of [sentence, 'Nothing was sent.']) expect(error.message).toContain(part);
    expect(service.connections).toBe(0);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(good.key.slice(40, 80));
  });
});

describe('the certificate of the service', () => {
  const [expired, notYet] = [{ validity: EXPIRED }, { validity: NOT_YET }];
  const unknown = { authority: makeAuthority() };
  test.each([
    ['expired', issue('localhost', expired), 'has expired', 'Ask the service to renew it.'],
    ['not yet valid', issue('localhost', notYet), 'is not valid yet', 'Ask the service to correct it.'],
    ['for another host', issue('elsewhere'), 'is for another host name', 'Check the address'],
    ['of nobody we know', issue('localhost', unknown), 'comes from an authority that is not trusted here', 'If it is'],
  ])('%s means that nothing is sent', async (_which, pem, problem, advice) => {
    const sentence = `${problem}. Nothing was sent. ${advice}`;
    const service = await opened(TlsService.start(created, pem));
    const connections = connectionsOf(secretWith(secretOf(issue('partner'))));
    const message = expect.stringContaining(`the certificate of the order service ${sentence}`);
    for (const call of ['createOrder', 'readOrder'] as const) {
      const error = await failure(clientOf(service.url, connections)[call]('{}'));
      expect(error).toMatchObject({ name: 'ServiceUnavailable', message });
    }
    const credentials = { client_id: 'a', client_secret: 'b' };
    const token = await failure(requestToken(credentials, { ...tokenSettings(service.url), connections }));
    expect(token.message).toContain(`Get a token: the certificate of the authorization service ${sentence}`);
    expect(service.clients).toEqual([]);
  });
});
