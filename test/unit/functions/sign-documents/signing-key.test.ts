import type { GetPublicKeyCommandOutput } from '@aws-sdk/client-kms';
import { expect, test } from 'vitest';
import { readPublicKey } from '../../../../functions/sign-documents/signing-key.ts';

const PublicKey = new Uint8Array(4);

test.each<[string, Pick<GetPublicKeyCommandOutput, 'PublicKey' | 'KeySpec'>, string]>([
  ['the type of the key', { PublicKey }, 'KMS answered without the type of the key (KeySpec). Nothing was signed.'],
  ['the public key', { KeySpec: 'RSA_2048' }, 'KMS answered without the public key. Nothing was signed.'],
  ['anything', {}, 'KMS answered without the public key. Nothing was signed.'],
])('an answer of KMS without %s fails with a sentence that says so', (_what, answer, sentence) => {
  expect(() => readPublicKey(answer)).toThrow(sentence);
});

test('a key that cannot sign documents fails with a sentence that names its kind', () => {
  const answer = { PublicKey, KeySpec: 'ECC_SECG_P256K1' } as const;
  expect(() => readPublicKey(answer)).toThrow('The KMS key has the type ECC_SECG_P256K1, which cannot sign documents.');
});
