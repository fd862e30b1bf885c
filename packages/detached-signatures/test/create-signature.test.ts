import { id_signingTime, SigningTime } from '@peculiar/asn1-cms';
import { AsnConvert } from '@peculiar/asn1-schema';
import { expect, test } from 'vitest';
import { makeSigner } from '../certificates.ts';
import { createDetachedSignature } from '../create-signature.ts';
import { signature, signedDataOf } from './helpers/cms.ts';

const signingTime = new Date('2025-03-04T05:06:07.890Z');
const signer = makeSigner('p-256');

test('contains the certificates and the signing time to the second, but not the document', async () => {
  const signedData = signedDataOf(await signature(signer, { chain: [signer.authority], signingTime }));
  expect(signedData.encapContentInfo.eContent).toBeUndefined();
  const carried = [...(signedData.certificates ?? [])].map(({ certificate }) =>
    Buffer.from(AsnConvert.serialize(certificate)),
  );
  expect(carried).toEqual([signer.certificate, signer.authority.certificate].toSorted(Buffer.compare));
  const time = signedData.signerInfos[0]?.signedAttrs?.find(({ attrType }) => attrType === id_signingTime);
  const value = AsnConvert.parse(time?.attrValues[0] as ArrayBuffer, SigningTime);
  expect(value.getTime()).toEqual(new Date('2025-03-04T05:06:07.000Z'));
});

test.each(['2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z'])('a signing time of %s can be read', async (text) => {
  const [info] = signedDataOf(await signature(signer, { signingTime: new Date(text) })).signerInfos;
  const time = info?.signedAttrs?.find(({ attrType }) => attrType === id_signingTime);
  expect(AsnConvert.parse(time?.attrValues[0] as ArrayBuffer, SigningTime).getTime()).toEqual(new Date(text));
});

const request = {
  digest: new Uint8Array(32),
  digestAlgorithm: 'sha256',
  keyType: 'ecdsa',
  certificates: [signer.certificate],
  sign: async () => new Uint8Array(8),
  signingTime,
} as const;
// The outer length has three bytes, although two are enough.
const notDer = Buffer.concat([Buffer.from([0x30, 0x83, 0x00]), signer.certificate.subarray(2)]);

test.each([
  ['a digest of another length', { digest: new Uint8Array(20) }, /A sha256 digest has 32 bytes, but this one has 20/],
  ["a chain without the signer's certificate", { certificates: [] }, /certificate is missing/],
  ['a certificate that is not DER', { certificates: [notDer] }, /one of its certificates cannot be read/],
  ['an error of the key', { sign: () => Promise.reject(new Error('the key is disabled')) }, /the key is disabled/],
])('no signature is made with %s', async (_what, change, problem) => {
  await expect(createDetachedSignature({ ...request, ...change })).rejects.toThrow(problem);
});
