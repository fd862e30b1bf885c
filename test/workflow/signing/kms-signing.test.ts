import { X509Certificate } from 'node:crypto';
import { CreateKeyCommand, DisableKeyCommand, EnableKeyCommand, type KeySpec, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type CertificateOptions, makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { createDetachedSignature } from '@business-loan-orders/detached-signatures/create-signature';
import { checkSignature } from '@business-loan-orders/detached-signatures/signature-gate';
import { expect, test } from 'vitest';
import { openKmsKey } from '../../../core/signing/kms-key.ts';
import { documentOf } from '../../../packages/detached-signatures/test/helpers/cms.ts';
import { NO_OFFERS, openWorld, SIGNATURES_AT_ONCE } from '../../helpers/open-world.ts';
import { beforeUpload, orderAtService, putSignature, rejection } from '../../helpers/signatures.ts';
import { certifyKey } from '../../helpers/signing-keys.ts';

const world = await openWorld({ settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 } });
const kms = new KMSClient(world.aws.clientSettings);
const authority = makeAuthority();
const KeyId = world.outputs.SigningKey ?? '';
const certify = (options?: CertificateOptions) => certifyKey(world, KeyId, authority, options);

async function putChain(Body: string): Promise<void> {
  const { IntakeBucket: Bucket } = world.outputs;
  await world.s3.send(new PutObjectCommand({ Bucket, Key: 'signing/certificate-chain.pem', Body }));
}

const toEnd = (orderRef: string) => world.untilEnd(orderRef, { signing: false });

test('KMS signs every document, the order does not wait, and a signature that is overwritten before it is sent is made again', async () => {
  await certify();
  await world.submit('signed', { signing: 'kms' });
  let overwritten = '';
  beforeUpload(world, async () => {
    [{ fileId: overwritten } = { fileId: '' }] = (await orderAtService(world, 'signed')).generatedDocuments;
    await putSignature(world, 'signed', overwritten, 'spoilt');
  });
  expect(await toEnd('signed')).toMatchObject({ status: 'CLOSED', generation: 1, signing: 'kms' });
  const { signatures } = await orderAtService(world, 'signed');
  expect(signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
  expect(await world.documentsToSign('signed')).toHaveLength(2);
  expect(await world.told('signed', 'Documents signed with KMS')).toMatchObject([{ documents: 2 }, { documents: 1 }]);
  expect(await world.told('signed', 'Waits for signatures')).toEqual([]);
  expect(await rejection(world, 'signed', overwritten)).toBeUndefined();
});

// KMS has three algorithms. The key of the stage has the third.
test.each<KeySpec>(['RSA_2048', 'ECC_NIST_P384'])(
  'signatures of a key with the spec %s pass a strict gate',
  async (spec) => {
    const { KeyMetadata } = await kms.send(new CreateKeyCommand({ KeySpec: spec, KeyUsage: 'SIGN_VERIFY' }));
    const keyId = KeyMetadata?.KeyId ?? '';
    const certificate = await certifyKey(world, keyId, authority, { file: `${spec}.pem` });
    const readChain = async () => toPem(authority.certificate) + toPem(certificate);
    const key = await openKmsKey({ client: kms, keyId, chain: 'chain.pem', readChain, unusable: expect.fail });
    const document = documentOf(Buffer.from('a document'));
    const now = new Date();
    const digest = await document.digest(key.digestAlgorithm);
    const signature = await createDetachedSignature({ ...key, digest, signingTime: now });
    const gate = { level: 'strict' as const, authorities: [new X509Certificate(authority.certificate)], now };
    expect(await checkSignature(signature, document, gate)).toMatchObject({ passed: true });
  },
);

const BREAKS: [() => Promise<unknown>, string][] = [
  [() => putChain(toPem(authority.certificate)), 'has no certificate for the KMS key'],
  [() => putChain('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'), 'cannot be read as PEM'],
  [
    () => certify({ validity: { notBefore: new Date('2025-01-01'), notAfter: new Date('2025-12-31') } }),
    'it expired at 2025-12-31',
  ],
  [() => kms.send(new DisableKeyCommand({ KeyId })), 'DisabledException'],
];

test('a key or chain that is unusable fails the order before anything is sent, and a retry signs after the repair', async () => {
  const orderRef = 'unusable';
  for (const [position, [breakSetup, cause]] of BREAKS.entries()) {
    await breakSetup();
    await (position === 0 ? world.submit(orderRef, { signing: 'kms' }) : world.startNext(orderRef));
    const { failure } = await toEnd(orderRef);
    expect(failure).toMatchObject({ error: 'SigningKeyUnusable', cause: expect.stringContaining(cause) });
    expect((await orderAtService(world, orderRef)).signatures).toEqual([]);
  }
  await kms.send(new EnableKeyCommand({ KeyId }));
  await certify();
  await world.startNext(orderRef);
  expect(await toEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: BREAKS.length + 1 });
});

test('uploading a certificate chain invokes no function', async () => {
  await world.aws.settle();
  const lines = world.aws.logs().length;
  await certify();
  await world.aws.settle();
  expect(world.aws.logs().slice(lines)).toEqual([]);
});

test('a package with "signing": "external" is signed by the partner, although the stage has a key', async () => {
  await world.submit('external', { signing: 'external' });
  expect(await world.untilEnd('external')).toMatchObject({ status: 'CLOSED', signing: 'external' });
  expect(await world.told('external', 'Waits for signatures')).toHaveLength(1);
});
