import { execFile } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import type { OrderError } from '../../functions/shared/errors.ts';
import { Connections } from '../../functions/shared/tls/connections.ts';
import { requestToken } from '../../functions/shared/token/token-request.ts';
import { makeAuthority, toPem } from '../../local/people/certificates.ts';
import { clientAt, fileOf, fixedToken, tokenSettings } from '../helpers/order-service-client.ts';
import {
  type Answer,
  authorityPem,
  EXPIRED,
  issue,
  NOT_YET,
  OpensslServer,
  opensslInstalled,
  secretOf,
  TlsService,
} from '../helpers/tls-service.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function opened<Service extends { close(): Promise<void> }>(service: Promise<Service>): Promise<Service> {
  open.push(await service);
  return service;
}

const created: Answer = (request, response) => {
  request.resume().on('end', () => response.writeHead(201).end('{"orderId":"81185d2b"}'));
};
const wrong = issue('intruder', { authority: makeAuthority({ commonName: 'Another authority' }) });
/** The content of the secret, which a test changes, and how often it was read. */
const secretWith = (text: string | undefined) => ({ text, reads: 0 });
function connectionsOf(secret: ReturnType<typeof secretWith> | undefined) {
  const readCertificate = async () => {
    if (secret) secret.reads += 1;
    return secret?.text;
  };
  return new Connections({
    authorities: authorityPem,
    ...(secret && { readCertificate }),
  });
}
const clientOf = (url: string, connections: Connections) => clientAt(url, fixedToken, 5_000, { connections });
const failure = (call: Promise<unknown>): Promise<OrderError> =>
  call.then(
    () => expect.fail('the call should have failed'),
    (error) => error,
  );

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
  test.each([
    ['of an unknown authority', wrong, 'it does not know the authority that issued it', []],
    ['with a wrong signature', forged, 'its signature is wrong', []],
    [
      'that has expired by its clock',
      issue('partner'),
      'it has expired by the clock of the service',
      ['-attime', afterAll],
    ],
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

test('a server that closes the connection after the request was written leaves the creation unknown', async () => {
  const service = await opened(TlsService.start((request) => void request.socket.destroy()));
  const secret = secretWith(secretOf(issue('partner')));
  const connections = connectionsOf(secret);
  const client = clientOf(service.url, connections);
  expect(await failure(client.createOrder('{}'))).toMatchObject({ name: 'OutcomeUnknown' });
  expect([service.clients.length, secret.reads]).toEqual([1, 1]);
  await failure(client.readOrder('o'));
  expect(secret.reads).toBeGreaterThan(1);
});

describe('a certificate that cannot be used is not shown to anybody', () => {
  const good = issue('partner');
  test.each([
    ['empty', undefined, 'The secret of the client certificate is empty.'],
    ['not PEM', 'hello', 'has no certificate in PEM.'],
    ['broken JSON', '{"certificate": ', 'is neither PEM nor JSON.'],
    ['without a key', good.cert, 'has no private key in PEM.'],
    ['without a certificate', good.key, 'has no certificate in PEM.'],
    [
      'malformed',
      `${good.cert.replace(/^[A-Z]/m, '!')}${good.key}`,
      'has a certificate that cannot be read (number 1).',
    ],
    ['malformed key', good.cert + good.key.replace('MI', 'II'), 'has a private key that cannot be read.'],
    [
      'of another key',
      good.cert + issue('other').key,
      'has a private key that does not belong to its first certificate.',
    ],
    ['expired', secretOf(issue('partner', { validity: EXPIRED })), 'expired at 2021-01-01T00:00:00.000Z.'],
    [
      'not yet valid',
      secretOf(issue('partner', { validity: NOT_YET })),
      'is not valid before 2048-01-01T00:00:00.000Z.',
    ],
  ])('%s', async (_which, secret, sentence) => {
    const service = await opened(TlsService.start(created));
    const error = await failure(clientOf(service.url, connectionsOf(secretWith(secret))).createOrder('{}'));
    expect(error.name).toBe('Unauthorized');
    expect(error.message).toContain(sentence);
    expect(error.message).toContain('Nothing was sent.');
    expect(service.connections).toBe(0);
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain(good.key.slice(40, 80));
  });
});

describe('the certificate of the service', () => {
  test.each([
    [
      'expired',
      issue('localhost', { validity: EXPIRED }),
      'has expired. Nothing was sent. Ask the service to renew it.',
    ],
    ['not yet valid', issue('localhost', { validity: NOT_YET }), 'is not valid yet. Nothing was sent.'],
    ['for another host', issue('elsewhere'), 'is for another host name. Nothing was sent. Check the address'],
    [
      'of an unknown authority',
      issue('localhost', { authority: makeAuthority() }),
      'comes from an authority that is not trusted here. Nothing was sent. If it is the right one, add its authority',
    ],
  ])('%s means that nothing is sent', async (_which, pem, sentence) => {
    const service = await opened(TlsService.start(created, pem));
    const connections = connectionsOf(secretWith(secretOf(issue('partner'))));
    for (const call of ['createOrder', 'readOrder'] as const) {
      const error = await failure(clientOf(service.url, connections)[call]('{}'));
      expect(error.name).toBe('ServiceUnavailable');
      expect(error.message).toContain(`the certificate of the order service ${sentence}`);
    }
    const credentials = { client_id: 'a', client_secret: 'b' };
    const token = await failure(requestToken(credentials, { ...tokenSettings(service.url), connections }));
    expect(token.message).toContain(`Get a token: the certificate of the authorization service ${sentence}`);
    expect(service.clients).toEqual([]);
  });
});

describe('a rotated certificate is used without a restart', () => {
  const another = makeAuthority({ commonName: 'New bank authority' });
  const renewed = secretOf(issue('renewed', { authority: another }));

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'after the server refused the old one in the handshake (%s)',
    async (maxVersion) => {
      const service = await opened(TlsService.start(created, { maxVersion }));
      const secret = secretWith(secretOf(issue('partner')));
      const client = clientOf(service.url, connectionsOf(secret));
      await client.createOrder('{}');
      service.trustOnly(toPem(another.certificate));
      secret.text = renewed;
      await client.createOrder('{}');
      expect(service.clients).toEqual(['partner', 'renewed']);
    },
  );

  test.each([400, 401, 403])('after the service answered %i, and only once', async (status) => {
    const answer: Answer = (request, response) => {
      if (service.clients.at(-1) === 'renewed') created(request, response);
      else request.resume().on('end', () => response.writeHead(status).end());
    };
    const service = await opened(TlsService.start(answer));
    const secret = secretWith(secretOf(issue('partner')));
    const client = clientOf(service.url, connectionsOf(secret));
    await failure(client.uploadDocument('o', {}, fileOf(Buffer.from('file'))));
    const before = service.clients.length;
    // A 401 is repeated with another token as well.
    expect(before).toBe(status === 401 ? 3 : 1);
    secret.text = secretOf(issue('renewed'));
    await client.uploadDocument('o', {}, fileOf(Buffer.from('file')));
    expect(service.clients.slice(before)).toEqual(['partner', 'renewed']);
  });

  test('after the old one has expired in memory', async () => {
    const service = await opened(TlsService.start(created));
    const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 1_000);
    const validity = { notBefore: EXPIRED.notBefore, notAfter: soon };
    const secret = secretWith(secretOf(issue('partner', { validity })));
    const client = clientOf(service.url, connectionsOf(secret));
    await client.createOrder('{}');
    secret.text = secretOf(issue('renewed'));
    await delay(soon.getTime() - Date.now() + 10);
    await client.createOrder('{}');
    expect(service.clients).toEqual(['partner', 'renewed']);
  });

  test('after some minutes, also by reads whose connection was kept', async () => {
    const order = '{"status":"IN_WORK","pollAfterSeconds":5}';
    const service = await opened(TlsService.start((_request, response) => void response.end(order)));
    const secret = secretWith(secretOf(issue('partner')));
    const client = clientOf(service.url, connectionsOf(secret));
    await client.readOrder('o');
    await client.readOrder('o');
    expect([service.connections, secret.reads]).toEqual([1, 1]);
    secret.text = secretOf(issue('renewed'));
    vi.useFakeTimers({ now: Date.now() + 5 * 60_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await client.readOrder('o');
    await client.readOrder('o');
    expect(service.clients).toEqual(['partner', 'partner', 'renewed', 'renewed']);
    expect([service.connections, secret.reads]).toEqual([2, 2]);
  });
});

describe('Secrets Manager', () => {
  test('may be unavailable while a certificate is in memory', async () => {
    const service = await opened(TlsService.start(created));
    let isDown = false;
    const readCertificate = async () => {
      if (isDown) throw Object.assign(new Error('down'), { name: 'InternalServiceError' });
      return secretOf(issue('partner'));
    };
    const connections = new Connections({ authorities: authorityPem, readCertificate, readAgainAfter: 0 });
    await clientOf(service.url, connections).createOrder('{}');
    isDown = true;
    await clientOf(service.url, connections).createOrder('{}');
    expect(service.clients).toEqual(['partner', 'partner']);
  });

  test('without an answer means that nothing is sent', async () => {
    const readCertificate = async () => {
      throw Object.assign(new Error('down'), { name: 'InternalServiceError' });
    };
    const error = await failure(
      clientOf('https://localhost:1', new Connections({ readCertificate })).createOrder('{}'),
    );
    expect(error.name).toBe('ServiceUnavailable');
    expect(error.message).toBe('The client certificate could not be read (InternalServiceError). Nothing was sent.');
  });
});

test('the authorities of the stage are trusted beside those that Node trusts', async () => {
  const known = makeAuthority({ commonName: 'An authority that Node trusts' });
  const file = join(inject('temporaryDirectory'), 'known.pem');
  await writeFile(file, toPem(known.certificate));
  const answered: Answer = (_request, response) => void response.end('{"status":"CLOSED","pollAfterSeconds":5}');
  const anybody = { requestCert: false };
  const ours = await opened(TlsService.start(answered, anybody));
  const publicOne = await opened(
    TlsService.start(answered, { ...issue('localhost', { authority: known }), ...anybody }),
  );
  const script = new URL('../helpers/read-by-tls.ts', import.meta.url).pathname;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: file, SERVICE_AUTHORITIES: authorityPem };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ours.url, publicOne.url], { env });
  expect(JSON.parse(stdout)).toEqual(['CLOSED', 'CLOSED']);
});
