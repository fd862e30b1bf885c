import { CreateAliasCommand, CreateKeyCommand, DisableKeyCommand, type KeySpec, KMSClient } from '@aws-sdk/client-kms';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type CertificateOptions, makeAuthority, toPem } from '@business-loan-orders/detached-signatures/certificates';
import { expect, test } from 'vitest';
import { MAIN_PATH, NO_OFFERS, openWorld, SIGNATURES_AT_ONCE, submit } from '../../helpers/open-world.ts';
import { beforeUpload, orderAtService, putSignature, rejection } from '../../helpers/signatures.ts';
import { certifyKey } from '../../helpers/signing-keys.ts';

const ALIAS = 'alias/signs-here';

const world = await openWorld({
  settings: { ...SIGNATURES_AT_ONCE, ...NO_OFFERS, documentsToSign: 2 },
  // The key of the stack is P-256. With the alias, a test can use another key.
  environment: { SIGNING_KEY: ALIAS },
  functionStatements: [{ Effect: 'Allow', Action: ['kms:Sign', 'kms:GetPublicKey'], Resource: 'arn:aws:kms:*:key/*' }],
});
const kms = new KMSClient(world.aws.clientSettings);
const authority = makeAuthority();

/** Signs with this key from now on. */
async function useKey(keyId: string, options?: CertificateOptions): Promise<void> {
  await kms.send(new CreateAliasCommand({ AliasName: ALIAS, TargetKeyId: keyId }));
  await certifyKey(world, ALIAS, authority, options);
}

async function putChain(Body: string): Promise<void> {
  const { IntakeBucket: Bucket } = world.outputs;
  await world.s3.send(new PutObjectCommand({ Bucket, Key: 'signing/certificate-chain.pem', Body }));
}

async function createKey(KeySpec: KeySpec): Promise<string> {
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ KeySpec, KeyUsage: 'SIGN_VERIFY' }));
  return KeyMetadata?.KeyId ?? '';
}

const toEnd = (orderRef: string) => world.untilEnd(orderRef, { signing: false });

// One for each algorithm of KMS. The other tests use the third.
test.each<KeySpec>(['RSA_2048', 'ECC_NIST_P384'])(
  'a KMS key with the spec %s signs every document, and the order does not wait',
  async (keySpec) => {
    await useKey(await createKey(keySpec));
    const orderRef = `by-${keySpec}`;
    await submit(world, orderRef, { signing: 'kms' });
    expect(await toEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: 1, signing: 'kms' });
    const { signatures } = await orderAtService(world, orderRef);
    expect(signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
    const { documents } = await world.stagedJson<{ documents: unknown[] }>(orderRef, 'to-sign.json');
    expect(documents).toHaveLength(2);
    expect(await world.told(orderRef, 'Documents signed with KMS')).toHaveLength(1);
    expect(await world.told(orderRef, 'Waits for signatures')).toEqual([]);
  },
);

/** What makes the key unusable, and what the cause says. */
const BREAKS: [() => Promise<unknown>, string][] = [
  [() => putChain(toPem(authority.certificate)), 'has no certificate for the KMS key'],
  [() => putChain('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'), 'cannot be read as PEM'],
  [() => kms.send(new DisableKeyCommand({ KeyId: ALIAS })), 'DisabledException'],
  [
    async () =>
      useKey(await createKey('ECC_NIST_P256'), {
        validity: { notBefore: new Date('2025-01-01'), notAfter: new Date('2025-12-31') },
      }),
    'it expired at 2025-12-31',
  ],
];

test('a key or chain that is unusable fails the order before anything is sent, and a retry signs after the repair', async () => {
  const orderRef = 'unusable';
  for (const [position, [breakSetup, cause]] of BREAKS.entries()) {
    await useKey(await createKey('ECC_NIST_P256'));
    await breakSetup();
    await (position === 0 ? submit(world, orderRef, { signing: 'kms' }) : world.startNext(orderRef));
    const { failure } = await toEnd(orderRef);
    expect(failure).toMatchObject({ error: 'SigningKeyUnusable', cause: expect.stringContaining(cause) });
    expect((await orderAtService(world, orderRef)).signatures).toEqual([]);
  }
  await useKey(await createKey('ECC_NIST_P256'));
  await world.startNext(orderRef);
  expect(await toEnd(orderRef)).toMatchObject({ status: 'CLOSED', generation: BREAKS.length + 1 });
});

test('uploading a certificate chain invokes no function', async () => {
  await world.aws.settle();
  const lines = world.aws.logs().length;
  await useKey(await createKey('ECC_NIST_P256'));
  await world.aws.settle();
  expect(world.aws.logs().slice(lines)).toEqual([]);
});

test('a package with "signing": "external" is signed by the partner, although the stage has a key', async () => {
  await submit(world, 'external', { signing: 'external' });
  expect(await world.untilEnd('external')).toMatchObject({ status: 'CLOSED', signing: 'external' });
  expect(await world.told('external', 'Waits for signatures')).toHaveLength(1);
});

test('a KMS signature that is overwritten before it is sent is made again', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  await submit(world, 'spoilt', { signing: 'kms' });
  const { orderId } = await world.until('spoilt', ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  beforeUpload(world, async () => {
    const [document] = world.simulator.order(orderId ?? '')?.generatedDocuments ?? [];
    await putSignature(world, 'spoilt', document?.fileId ?? '', 'spoilt');
  });
  expect(await toEnd('spoilt')).toMatchObject({ status: 'CLOSED', generation: 1 });
  const { signatures, generatedDocuments } = await orderAtService(world, 'spoilt');
  expect(signatures.map(({ kind }) => kind)).toEqual(['cms-valid', 'cms-valid']);
  expect(await rejection(world, 'spoilt', generatedDocuments[0]?.fileId ?? '')).toBeUndefined();
});
