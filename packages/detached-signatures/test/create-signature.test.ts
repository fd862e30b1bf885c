import { execFile } from 'node:child_process';
import { createHash, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ContentInfo, id_signingTime, SignedData, SigningTime } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSigner, type TestKeyType, type TestSigner, toPem } from '../certificates.ts';
import { createDetachedSignature, type DigestAlgorithm } from '../create-signature.ts';

const run = promisify(execFile);
const document = Buffer.from('Заявка на кредит: договор № 1');
const signingTime = new Date('2025-03-04T05:06:07.890Z');

let directory: string;
let opensslInstalled: boolean;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cms-signature-'));
  opensslInstalled = await run('openssl', ['version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
});

afterAll(() => rm(directory, { recursive: true }));

function signDocument(signer: TestSigner, digestAlgorithm: DigestAlgorithm): Promise<Uint8Array> {
  return createDetachedSignature({
    digest: createHash(digestAlgorithm).update(document).digest(),
    digestAlgorithm,
    certificates: [signer.certificate, signer.authority.certificate],
    keyType: signer.keyType,
    sign: async (dataToSign) => sign(digestAlgorithm, dataToSign, signer.privateKey),
    signingTime,
  });
}

/** Verifies with the `openssl` binary. Returns which path ran. */
async function verifyOutside(
  signature: Uint8Array,
  content: Buffer,
  signer: TestSigner,
): Promise<'openssl' | 'absent'> {
  if (!opensslInstalled) return 'absent';
  const [signatureFile, contentFile, authorityFile] = ['signature.der', 'content', 'authority.pem'].map((name) =>
    join(directory, name),
  ) as [string, string, string];
  await writeFile(signatureFile, signature);
  await writeFile(contentFile, content);
  await writeFile(authorityFile, toPem(signer.authority.certificate));
  await run('openssl', [
    'cms',
    '-verify',
    '-binary',
    '-inform',
    'DER',
    '-in',
    signatureFile,
    '-content',
    contentFile,
    '-CAfile',
    authorityFile,
    '-purpose',
    'any',
    '-out',
    join(directory, 'verified'),
  ]);
  return 'openssl';
}

const cases: [TestKeyType, DigestAlgorithm][] = [
  ['rsa-2048', 'sha256'],
  ['rsa-2048', 'sha512'],
  ['p-256', 'sha256'],
  ['p-384', 'sha384'],
];

describe('a detached signature', () => {
  test.each(cases)(
    'with %s and %s is valid for OpenSSL and for the order service',
    async (keyType, digestAlgorithm) => {
      const signer = makeSigner(keyType);
      const signature = await signDocument(signer, digestAlgorithm);
      expect(await verifyOutside(signature, document, signer)).toBe(opensslInstalled ? 'openssl' : 'absent');
    },
  );

  test.runIf(opensslInstalled)('is not valid for another document', async () => {
    const signer = makeSigner('p-256');
    const signature = await signDocument(signer, 'sha256');
    const other = Buffer.from('another document');
    await expect(verifyOutside(signature, other, signer)).rejects.toThrow(/verif/i);
  });

  test('contains the certificates and the signing time to the second, but not the document', async () => {
    const signer = makeSigner('p-256');
    const signature = await signDocument(signer, 'sha256');
    const signedData = AsnConvert.parse(AsnConvert.parse(signature, ContentInfo).content, SignedData);
    expect(signedData.encapContentInfo.eContent).toBeUndefined();
    const carried = [...(signedData.certificates ?? [])].map(({ certificate }) =>
      Buffer.from(AsnConvert.serialize(certificate)).toString('hex'),
    );
    const expected = [signer.certificate, signer.authority.certificate].map((bytes) => bytes.toString('hex'));
    expect(carried).toHaveLength(2);
    expect(new Set(carried)).toEqual(new Set(expected));
    const time = signedData.signerInfos[0]?.signedAttrs?.find(({ attrType }) => attrType === id_signingTime);
    const value = AsnConvert.parse(time?.attrValues[0] as ArrayBuffer, SigningTime);
    expect(value.getTime()).toEqual(new Date('2025-03-04T05:06:07.000Z'));
  });

  test('has its signed attributes sorted as DER requires', async () => {
    const signer = makeSigner('p-256');
    const signature = await signDocument(signer, 'sha256');
    const signedData = AsnConvert.parse(AsnConvert.parse(signature, ContentInfo).content, SignedData);
    const encodings = (signedData.signerInfos[0]?.signedAttrs ?? []).map((attribute) =>
      Buffer.from(AsnConvert.serialize(attribute)),
    );
    expect(encodings).toHaveLength(3);
    expect(encodings).toEqual(encodings.toSorted(Buffer.compare));
  });
});

describe('creating a signature', () => {
  const request = {
    digest: new Uint8Array(32),
    digestAlgorithm: 'sha256',
    keyType: 'ecdsa',
    sign: async () => new Uint8Array(8),
    signingTime,
  } as const;

  test('refuses a digest of another length', async () => {
    const { certificate } = makeSigner('p-256');
    const short = { ...request, digest: new Uint8Array(20), certificates: [certificate] };
    await expect(createDetachedSignature(short)).rejects.toThrow('A sha256 digest has 32 bytes, but this one has 20');
  });

  test("refuses a chain without the signer's certificate", async () => {
    await expect(createDetachedSignature({ ...request, certificates: [] })).rejects.toThrow(/certificate is missing/);
  });

  test('refuses a certificate that is not DER, because encoding would change it', async () => {
    const { certificate } = makeSigner('p-256');
    // The outer length has three bytes, although two are enough.
    const notDer = Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), certificate.subarray(2)]);
    expect(certificate[1]).toBe(0x82);
    await expect(createDetachedSignature({ ...request, certificates: [notDer] })).rejects.toThrow(/not DER/);
  });

  test('passes an error of the key to the caller', async () => {
    const { certificate } = makeSigner('p-256');
    const sign = async () => {
      throw new Error('the key is disabled');
    };
    await expect(createDetachedSignature({ ...request, certificates: [certificate], sign })).rejects.toThrow(
      'the key is disabled',
    );
  });
});
