import { createHash, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { TestCertificate, TestSigner } from '../../certificates.ts';
import { createDetachedSignature, type DigestAlgorithm } from '../../create-signature.ts';
import type { SignedDocument } from '../../signature-gate.ts';

/** Streebog-256 and GOST R 34.10-2012 (RFC 9215), which Node cannot compute. */
export const gost = { digest: '1.2.643.7.1.1.2.2', signature: '1.2.643.7.1.1.1.1' };

/** What the tests sign. */
export const content = Buffer.from('Заявка на кредит: договор № 1');

/** Beside it the order has no other document. */
export const documentOf = (bytes: Buffer): SignedDocument => ({
  digest: async (algorithm) => createHash(algorithm).update(bytes).digest(),
  open: async () => Readable.from([bytes]),
  describeOwner: async () => undefined,
});

export async function signature(
  signer: TestSigner,
  {
    digestAlgorithm = 'sha256' as DigestAlgorithm,
    over = content as Buffer,
    chain = [] as Pick<TestCertificate, 'certificate'>[],
    signingTime = new Date(),
  } = {},
): Promise<Buffer> {
  const bytes = await createDetachedSignature({
    digest: createHash(digestAlgorithm).update(over).digest(),
    digestAlgorithm,
    certificates: [signer, ...chain].map(({ certificate }) => certificate),
    keyType: signer.keyType,
    sign: async (data) => sign(digestAlgorithm, data, signer.privateKey),
    signingTime,
  });
  return Buffer.from(bytes);
}

export function signedDataOf(signature: Uint8Array): SignedData {
  return AsnConvert.parse(AsnConvert.parse(signature, ContentInfo).content, SignedData);
}

/** Changes the SignedData of a signature without signing again. */
export function changedSignature(signature: Uint8Array, change: (signedData: SignedData) => void): Buffer {
  const info = AsnConvert.parse(signature, ContentInfo);
  const signedData = signedDataOf(signature);
  change(signedData);
  info.content = AsnConvert.serialize(signedData);
  return Buffer.from(AsnConvert.serialize(info));
}

/** Makes a signature look as if it was made with GOST algorithms. */
export function asGost(signature: Uint8Array): Buffer {
  return changedSignature(signature, ({ signerInfos: [signer] }) => {
    if (!signer) throw new Error('The signature has no signer.');
    signer.digestAlgorithm.algorithm = gost.digest;
    signer.signatureAlgorithm.algorithm = gost.signature;
  });
}
