import { createHash, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { ContentInfo, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import type { TestCertificate, TestSigner } from '../../certificates.ts';
import { createDetachedSignature } from '../../create-signature.ts';
import { digestOf } from '../../digest.ts';
import type { ShaDigest } from '../../signature-algorithms.ts';
import type { SignedDocument } from '../../signature-gate.ts';

/** SHA-1, and GOST R 34.10-2001 (RFC 4490), which the gate does not verify. */
export const unknown = { digest: '1.3.14.3.2.26', signature: '1.2.643.2.2.19' };

export const content = Buffer.from('Заявка на кредит: договор № 1');

/** Beside it the order has no other document. */
export const documentOf = (bytes: Buffer): SignedDocument => ({
  digest: (algorithm) => digestOf(Readable.from([bytes]), algorithm),
  open: async () => Readable.from([bytes]),
  findOwner: async () => undefined,
});

export async function signature(
  signer: TestSigner,
  {
    digestAlgorithm = 'sha256' as ShaDigest,
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

/** Makes a signature look as if it was made with algorithms that the gate does not know. */
export function asUnknown(signature: Uint8Array): Buffer {
  return changedSignature(signature, ({ signerInfos: [signer], digestAlgorithms: [announced] }) => {
    if (!signer || !announced) throw new Error('The signature has no signer.');
    announced.algorithm = unknown.digest;
    signer.digestAlgorithm.algorithm = unknown.digest;
    signer.signatureAlgorithm.algorithm = unknown.signature;
  });
}
