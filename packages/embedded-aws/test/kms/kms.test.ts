import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../index.ts';
import { KmsService } from '../../kms/service.ts';

const account = { accountId: '000000000000', region: 'us-east-1' };
const kms = new KmsService(account, new VirtualClock(0)).operations();
const call = (name: string, input: Record<string, string>) => kms[name]?.(input) as Record<string, string>;
function create(KeySpec: string): string {
  const created = kms.CreateKey?.({ KeySpec, KeyUsage: 'SIGN_VERIFY' }) as { KeyMetadata: { KeyId: string } };
  return created.KeyMetadata.KeyId;
}
const message = Buffer.from('signed attributes');
const sign = (KeyId: string, SigningAlgorithm: string) =>
  call('Sign', { KeyId, SigningAlgorithm, Message: message.toString('base64') });

test.each([
  ['RSA_2048', 'RSASSA_PKCS1_V1_5_SHA_256', 'sha256'],
  ['RSA_2048', 'RSASSA_PKCS1_V1_5_SHA_512', 'sha512'],
  ['ECC_NIST_P256', 'ECDSA_SHA_256', 'sha256'],
  ['ECC_NIST_P384', 'ECDSA_SHA_384', 'sha384'],
])('a KMS key with the spec %s signs with %s, and its public key verifies the signature', (spec, algorithm, digest) => {
  const keyId = create(spec);
  const { PublicKey, KeySpec } = call('GetPublicKey', { KeyId: keyId });
  expect(KeySpec).toBe(spec);
  const key = createPublicKey({ key: Buffer.from(PublicKey ?? '', 'base64'), format: 'der', type: 'spki' });
  const { Signature } = sign(keyId, algorithm);
  expect(verify(digest, message, key, Buffer.from(Signature ?? '', 'base64'))).toBe(true);
});

test('KMS refuses requests with the error names of AWS', () => {
  const keyId = create('ECC_NIST_P256');
  const named = (code: string) => expect.objectContaining({ code });
  expect(() => sign('alias/none', 'ECDSA_SHA_256')).toThrow(named('NotFoundException'));
  expect(() => sign(keyId, 'ECDSA_SHA_384')).toThrow(named('InvalidKeyUsageException'));
  expect(() => call('CreateKey', { KeySpec: 'SYMMETRIC_DEFAULT', KeyUsage: 'ENCRYPT_DECRYPT' })).toThrow(
    named('UnsupportedOperationException'),
  );
  call('DisableKey', { KeyId: keyId });
  expect(() => sign(keyId, 'ECDSA_SHA_256')).toThrow(named('DisabledException'));
  call('EnableKey', { KeyId: keyId });
  expect(sign(keyId, 'ECDSA_SHA_256')).toHaveProperty('Signature');
});
