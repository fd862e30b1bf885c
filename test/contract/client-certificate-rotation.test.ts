import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { Connections } from '../../core/http/connections.ts';
import { failure, fileOf } from '../helpers/order-service-client.ts';
import { type Answer, authorityPem, EXPIRED, issue, secretOf, TlsService } from '../helpers/tls-service.ts';
import { clientOf, connectionsOf, created, opened, openPartner, secretWith } from './secured-client.ts';

describe('a rotated certificate is used without a restart', () => {
  const another = makeAuthority({ commonName: 'New bank authority' });
  const renewed = secretOf(issue('renewed', { authority: another }));

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'after the server refused the old one in the handshake (%s)',
    async (maxVersion) => {
      const { service, secret, client } = await openPartner(created, { maxVersion });
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
    const { service, secret, client } = await openPartner(answer);
    await failure(client.uploadDocument('o', {}, fileOf(Buffer.from('file'))));
    const before = service.clients.length;
    // A 401 is repeated with two other tokens as well, and a 403 with one.
    expect(before).toBe({ 400: 1, 401: 3, 403: 2 }[status]);
    secret.text = secretOf(issue('renewed'));
    await client.uploadDocument('o', {}, fileOf(Buffer.from('file')));
    expect(service.clients.slice(before)).toEqual(['partner', 'renewed']);
  });

  test('unless it is unusable: then the refusal of the old one is the reason', async () => {
    const { service, secret, client } = await openPartner((request, response) => {
      secret.text = 'no certificate';
      request.resume().on('end', () => response.writeHead(400).end());
    });
    expect((await failure(client.createOrder('{}'))).message).toContain('the order service answered 400');
    expect([secret.reads, service.clients]).toEqual([2, ['partner']]);
  });

  test('after the old one has expired in memory', async () => {
    const service = await opened(TlsService.start(created));
    const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
    const validity = { notBefore: EXPIRED.notBefore, notAfter: soon };
    const secret = secretWith(secretOf(issue('partner', { validity })));
    const client = clientOf(service.url, connectionsOf(secret));
    await client.createOrder('{}');
    secret.text = secretOf(issue('renewed'));
    vi.useFakeTimers({ now: soon.getTime() + 10, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await client.createOrder('{}');
    expect(service.clients).toEqual(['partner', 'renewed']);
  });

  test('after some minutes, also by reads whose connection was kept', async () => {
    const order = '{"status":"IN_WORK","pollAfterSeconds":5}';
    const { service, secret, client } = await openPartner((_request, response) => void response.end(order));
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
  const down = async () => Promise.reject(Object.assign(new Error('down'), { name: 'InternalServiceError' }));

  test('may be unavailable while a certificate is in memory', async () => {
    const service = await opened(TlsService.start(created));
    let isDown = false;
    const readCertificate = async () => (isDown ? down() : secretOf(issue('partner')));
    const connections = new Connections({ authorities: authorityPem, readCertificate });
    await clientOf(service.url, connections).createOrder('{}');
    isDown = true;
    vi.useFakeTimers({ now: Date.now() + 5 * 60_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    await clientOf(service.url, connections).createOrder('{}');
    expect(service.clients).toEqual(['partner', 'partner']);
  });

  test('without an answer means that nothing is sent', async () => {
    const client = clientOf('https://localhost:1', new Connections({ readCertificate: down }));
    expect(await failure(client.createOrder('{}'))).toMatchObject({
      name: 'ServiceUnavailable',
      message: 'The client certificate could not be read (InternalServiceError). Nothing was sent.',
    });
  });
});

test('the authorities of the stage are trusted beside those that Node trusts', async () => {
  const known = makeAuthority({ commonName: 'An authority that Node trusts' });
  const file = join(inject('temporaryDirectory'), 'known.pem');
  await writeFile(file, toPem(known.certificate));
  const trusted = join(inject('temporaryDirectory'), 'service-authorities.pem');
  await writeFile(trusted, authorityPem);
  const answered: Answer = (_request, response) => void response.end('{"status":"CLOSED","pollAfterSeconds":5}');
  const anybody = { requestCert: false };
  const ours = await opened(TlsService.start(answered, anybody));
  const publicOne = await opened(
    TlsService.start(answered, { ...issue('localhost', { authority: known }), ...anybody }),
  );
  const script = new URL('./read-by-tls.ts', import.meta.url).pathname;
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: file, SERVICE_AUTHORITIES_FILE: trusted };
  const { stdout } = await promisify(execFile)(process.execPath, [script, ours.url, publicOne.url], { env });
  expect(JSON.parse(stdout)).toEqual(['CLOSED', 'CLOSED']);
});
