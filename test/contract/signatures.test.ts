import { createHash, sign } from 'node:crypto';
import { makeSigner, type TestKeyType, type TestSigner } from '@business-loan-orders/detached-signatures/certificates';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkCalls } from '../helpers/contract.ts';
import { Partner } from '../helpers/partner.ts';

let partner: Partner;
let orderId: string;
let fileIds: string[];
let document: Buffer;

beforeEach(async () => {
  partner = await Partner.start();
  ({ orderId, fileIds } = await partner.toSignature());
  document = await download(fileIds[0] ?? '');
});

afterEach(async () => {
  const violations = checkCalls(partner.simulator.calls());
  await partner.simulator.close();
  expect(violations).toEqual([]);
});

async function download(fileId: string): Promise<Buffer> {
  return (await partner.call('GET', `/v1/orders/${orderId}/documents/${fileId}/download`)).body;
}

async function signatureOver(content: Buffer, signer: TestSigner): Promise<Buffer> {
  const signature = await createDetachedSignature({
    digest: createHash('sha256').update(content).digest(),
    digestAlgorithm: 'sha256',
    certificates: [signer.certificate],
    keyType: signer.keyType,
    sign: async (dataToSign) => sign('sha256', dataToSign, signer.privateKey),
    signingTime: new Date('2025-01-15T12:00:00Z'),
  });
  return Buffer.from(signature);
}

/** Changes the last byte of `part` in these bytes. */
function tampered(signature: Buffer, part: Buffer): Buffer {
  const position = signature.indexOf(part) + part.length - 1;
  const copy = Buffer.from(signature);
  copy[position] = (copy[position] ?? 0) ^ 1;
  return copy;
}

function upload(content: Buffer | string) {
  return partner.uploadSignature(orderId, fileIds[0] ?? '', content);
}

describe('a CMS signature', () => {
  test.each<TestKeyType>(['rsa-2048', 'p-256', 'p-384'])(
    'of the document with %s is accepted as valid',
    async (type) => {
      const answer = await upload(await signatureOver(document, makeSigner(type)));
      expect(answer.status).toBe(201);
      expect(partner.simulator.order(orderId)?.signatures).toMatchObject([
        { signatureId: answer.body.signatureId, fileId: fileIds[0], kind: 'cms-valid' },
      ]);
    },
  );

  test('of another document of the order is refused', async () => {
    const answer = await upload(await signatureOver(await download(fileIds[1] ?? ''), makeSigner('p-256')));
    expect([answer.status, answer.body.error.code]).toEqual([422, 'signature_invalid']);
    expect(answer.body.error.message).toContain('message digest differs');
    expect((await partner.accept(orderId)).body.error.message).toContain(fileIds[0]);
  });

  test('with changed signed attributes is refused', async () => {
    const signature = await signatureOver(document, makeSigner('p-256'));
    const answer = await upload(tampered(signature, Buffer.from('250115120000')));
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toBe("The signature is not valid for the signer's certificate.");
  });

  test('that was cut short is refused, and not accepted as another format', async () => {
    const answer = await upload((await signatureOver(document, makeSigner('p-256'))).subarray(0, -20));
    expect(answer.status).toBe(422);
    expect(answer.body.error.message).toContain('cannot be read');
  });

  test('with a digest that cannot be checked is accepted as opaque with a note', async () => {
    const signature = await signatureOver(document, makeSigner('p-256'));
    const sha256 = Buffer.from('0609608648016503040201', 'hex');
    const unknown = Buffer.from(
      signature
        .toString('latin1')
        .replaceAll(sha256.toString('latin1'), '\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x0f'),
      'latin1',
    );
    expect((await upload(unknown)).status).toBe(201);
    expect(partner.simulator.order(orderId)?.signatures).toMatchObject([
      { kind: 'opaque', note: 'Digest algorithm 2.16.840.1.101.3.4.2.15 cannot be checked.' },
    ]);
  });
});

describe('the simulator', () => {
  test('accepts a signature of another format as opaque', async () => {
    expect((await upload('a signature of another format')).status).toBe(201);
    expect(partner.simulator.order(orderId)?.signatures).toMatchObject([{ kind: 'opaque' }]);
  });

  test('replaces the signature of a document with a later one', async () => {
    const first = await upload('first');
    const second = await upload('second');
    expect(second.body.signatureId).not.toBe(first.body.signatureId);
    const order = partner.simulator.order(orderId);
    expect(order?.generatedDocuments[0]?.signature?.signatureId).toBe(second.body.signatureId);
    expect(order?.signatures).toHaveLength(2);
  });
});

test('returns the same bytes at every download of a document', async () => {
  partner.passSeconds(100);
  expect(await download(fileIds[0] ?? '')).toEqual(document);
});
