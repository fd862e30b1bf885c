import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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
const file = { field: 'file', name: 'charter.pdf', content: 'charter' };

describe('multipart forms', () => {
  let path: string;

  beforeEach(async () => {
    path = `/v1/orders/${await partner.toDocuments()}/documents`;
  });

  test('two files in one request are refused', async () => {
    const answer = await partner.upload(path, documentFields, [file, { ...file, name: 'second.pdf' }]);
    expect(refusal(answer)).toEqual([400, 'one_file_per_request']);
    expect(partner.simulator.orders()[0]?.uploadedDocuments).toEqual([]);
  });

  test('a second file in another field is refused too', async () => {
    const answer = await partner.upload(path, documentFields, [file, { ...file, field: 'attachment' }]);
    expect(refusal(answer)).toEqual([400, 'one_file_per_request']);
  });

  test('a missing file and a file in another field are refused as a missing field', async () => {
    expect(refusal(await partner.upload(path, documentFields, []))).toEqual([400, 'missing_field']);
    const elsewhere = await partner.upload(path, documentFields, [{ ...file, field: 'document' }]);
    expect(refusal(elsewhere)).toEqual([400, 'missing_field']);
  });

  test('an empty file is refused', async () => {
    const answer = await partner.upload(path, documentFields, [{ ...file, content: '' }]);
    expect(refusal(answer)).toEqual([400, 'empty_file']);
  });

  test.each(['entityId', 'sourceEntityId', 'docType'])('a form without %s is refused', async (missing) => {
    const fields = Object.fromEntries(Object.entries(documentFields).filter(([name]) => name !== missing));
    const answer = await partner.upload(path, fields, [file]);
    expect(refusal(answer)).toEqual([400, 'missing_field']);
    expect(answer.body.error.message).toContain(missing);
  });

  test('an empty field is refused as missing', async () => {
    const answer = await partner.upload(path, { ...documentFields, docType: '' }, [file]);
    expect(refusal(answer)).toEqual([400, 'missing_field']);
  });

  test('a field sent twice is refused', async () => {
    const body = new FormData();
    for (const [name, value] of [...Object.entries(documentFields), ['docType', 'OTHER'] as const])
      body.append(name, value);
    body.append('file', new Blob(['charter']), 'charter.pdf');
    expect(refusal(await partner.call('POST', path, { body }))).toEqual([400, 'repeated_field']);
  });

  test.each(['multipart/form-data', 'multipart/form-data; boundary=other'])(
    'a body that is not %s is refused',
    async (type) => {
      const answer = await partner.call('POST', path, {
        headers: { 'content-type': type },
        body: Buffer.from('charter'),
      });
      expect(refusal(answer)).toEqual([400, 'malformed_multipart']);
    },
  );

  test('a signature above the limit is refused with 413', async () => {
    const { orderId, fileIds } = await partner.toSignature();
    const content = Buffer.alloc(partner.simulator.settings.largestSignatureBytes + 1);
    expect(refusal(await partner.uploadSignature(orderId, fileIds[0] ?? '', content))).toEqual([413, 'too_large']);
  });
});

test('a connection that is lost during an upload leaves a recorded call without an answer', async () => {
  const orderId = await partner.toDocuments();
  const token = await partner.requestToken({
    grant_type: 'client_credentials',
    client_id: 'partner',
    client_secret: 'simulated-secret',
  });
  await new Promise<void>((resolve) => {
    const upload = request(`${partner.simulator.url}/v1/orders/${orderId}/documents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.body.access_token}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 1000,
      },
    });
    upload.on('error', () => resolve());
    upload.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf', () =>
      upload.destroy(),
    );
  });
  expect((await partner.read(orderId)).status).toBe('WAITING_FOR_DOCUMENTS');
  expect(partner.simulator.order(orderId)?.uploadedDocuments).toEqual([]);
});
