import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCalls } from '../helpers/contract.ts';
import { Partner } from '../helpers/partner.ts';

let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start();
});

afterEach(() => partner.simulator.close());

function refusal(answer: { status: number; body: { error?: { code: string } } }) {
  return [answer.status, answer.body.error?.code];
}

const documentFields = { entityId: 'company-1', sourceEntityId: 'source-1', docType: 'CHARTER' };

describe('calls in the wrong state', () => {
  test('are refused with 409 and do not change the order', async () => {
    const orderId = await partner.create();
    const answers = [
      await partner.uploadDocument(orderId),
      await partner.accept(orderId),
      await partner.confirm(orderId, { offerId: 'any', code: 'any' }),
    ];
    expect(answers.map(refusal)).toEqual(Array(3).fill([409, 'wrong_state']));
    expect(answers[0]?.body.error.message).toBe(
      'Uploading a document needs an order that is WAITING_FOR_DOCUMENTS; this one is IN_WORK.',
    );
    expect((await partner.afterProcessing(orderId)).status).toBe('WAITING_FOR_DOCUMENTS');
    expect(partner.simulator.order(orderId)?.uploadedDocuments).toEqual([]);
    expect(checkCalls(partner.simulator.calls())).toEqual([]);
  });

  test('are refused for a signature after the order has moved on', async () => {
    const { orderId, fileIds } = await partner.toSignature();
    for (const fileId of fileIds) await partner.uploadSignature(orderId, fileId);
    await partner.accept(orderId);
    expect(refusal(await partner.uploadSignature(orderId, fileIds[0] ?? ''))).toEqual([409, 'wrong_state']);
  });

  test('are refused for an accept without a document', async () => {
    const orderId = await partner.toDocuments();
    expect(refusal(await partner.accept(orderId))).toEqual([409, 'documents_missing']);
  });

  test('are refused for an accept with the names of the unsigned documents', async () => {
    const { orderId, fileIds } = await partner.toSignature();
    await partner.uploadSignature(orderId, fileIds[0] ?? '');
    const answer = await partner.accept(orderId);
    expect(refusal(answer)).toEqual([409, 'signatures_missing']);
    expect(answer.body.error.message).toBe(`These documents have no signature: ${fileIds[1]}.`);
  });
});

describe('an unknown identifier', () => {
  test('of an order is refused with 404 on every path', async () => {
    const answers = [
      await partner.call('GET', '/v1/orders/unknown'),
      await partner.uploadDocument('unknown'),
      await partner.accept('unknown'),
      await partner.call('GET', '/v1/orders/unknown/documents/any/download'),
      await partner.uploadSignature('unknown', 'any'),
      await partner.confirm('unknown', { offerId: 'any', code: 'any' }),
    ];
    expect(answers.map(refusal)).toEqual(Array(6).fill([404, 'order_not_found']));
    expect(checkCalls(partner.simulator.calls())).toEqual([]);
  });

  test('of a document is refused with 404', async () => {
    const { orderId } = await partner.toSignature();
    const download = await partner.call('GET', `/v1/orders/${orderId}/documents/unknown/download`);
    expect(refusal(download)).toEqual([404, 'document_not_found']);
    expect(refusal(await partner.uploadSignature(orderId, 'unknown'))).toEqual([404, 'document_not_found']);
  });

  test('can be the fileId of another order', async () => {
    const { fileIds } = await partner.toSignature();
    const { orderId } = await partner.toSignature();
    const download = await partner.call('GET', `/v1/orders/${orderId}/documents/${fileIds[0]}/download`);
    expect(refusal(download)).toEqual([404, 'document_not_found']);
  });
});

describe('a wrong body', () => {
  test.each([
    ['a list', '[]'],
    ['null', 'null'],
    ['no JSON', '{"inn":'],
    ['nothing', ''],
  ])('an order that is %s is refused with 400', async (_name, body) => {
    const answer = await partner.call('POST', '/v1/orders', { headers: { 'content-type': 'application/json' }, body });
    expect(refusal(answer)).toEqual([400, 'malformed_json']);
  });

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'an order sent as %s is refused with 415',
    async (contentType) => {
      const headers = contentType ? { 'content-type': contentType } : {};
      const answer = await partner.call('POST', '/v1/orders', { headers, body: Buffer.from('{}') });
      expect(refusal(answer)).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('a document sent as JSON is refused with 415', async () => {
    const orderId = await partner.toDocuments();
    const answer = await partner.post(`/v1/orders/${orderId}/documents`, documentFields);
    expect(refusal(answer)).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['offerId', 'code'])('a confirm without %s is refused with 400', async (missing) => {
    const { orderId, offers } = await partner.toOffers();
    const choice = { offerId: offers[0]?.offerId ?? '', code: 'FIRST-12' };
    const answer = await partner.confirm(orderId, { ...choice, [missing]: undefined });
    expect(refusal(answer)).toEqual([400, 'missing_field']);
    expect(answer.body.error.message).toContain(missing);
  });

  test('a JSON body above the limit is refused with 413', async () => {
    const { largestBodyBytes } = partner.simulator.settings;
    expect(refusal(await partner.post('/v1/orders', { text: 'x'.repeat(largestBodyBytes) }))).toEqual([
      413,
      'too_large',
    ]);
  });
});

describe('paths and methods', () => {
  test('an unknown path is refused with 404', async () => {
    expect(refusal(await partner.call('GET', '/v2/orders'))).toEqual([404, 'not_found']);
  });

  test.each([
    ['GET', '/v1/orders', 'POST'],
    ['DELETE', '/v1/orders/any', 'GET'],
    ['PUT', '/v1/orders/any/documents', 'POST'],
    ['GET', '/v1/orders/any/accept', 'POST'],
    ['POST', '/v1/orders/any/documents/any/download', 'GET'],
    ['PATCH', '/v1/orders/any/documents/sign', 'POST'],
    ['GET', '/v1/orders/any/confirm', 'POST'],
  ])('%s %s is refused with 405, which is not in the contract', async (method, path, allowed) => {
    const answer = await partner.call(method, path);
    expect(refusal(answer)).toEqual([405, 'method_not_allowed']);
    expect(answer.headers.get('allow')).toBe(allowed);
    expect(checkCalls(partner.simulator.calls().slice(-1))).toEqual([expect.stringContaining('not in the contract')]);
  });

  test('the simulator listens on no other address of the machine', async () => {
    const outside = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const addresses = outside
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // On Linux all of 127.0.0.0/8 is this machine, so another address exists even without a network.
    if (process.platform === 'linux') addresses.push('127.0.0.2');
    const { port } = new URL(partner.simulator.url);
    for (const address of addresses) {
      await expect(fetch(`http://${address}:${port}/simulator/calls`)).rejects.toThrow('fetch failed');
    }
    expect(partner.simulator.url).toBe(`http://127.0.0.1:${port}`);
  });
});

test('the simulator can require another content type for orders and confirms', async () => {
  await partner.simulator.close();
  partner = await Partner.start({ orderContentType: 'application/vnd.order+json' });
  const headers = { 'content-type': 'application/vnd.order+json; charset=utf-8' };
  const answer = await partner.call('POST', '/v1/orders', { headers, body: '{"inn":"7707083893"}' });
  expect(answer.status).toBe(201);
  expect(partner.simulator.order(answer.body.orderId)?.questionnaire).toEqual({ inn: '7707083893' });
  expect(refusal(await partner.post('/v1/orders', {}))).toEqual([415, 'unsupported_media_type']);
});
