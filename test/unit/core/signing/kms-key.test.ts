import { expect, test } from 'vitest';
import { readPublicKey } from '../../../../core/signing/kms-key.ts';

const PublicKey = new Uint8Array(4);

test.each<[Parameters<typeof readPublicKey>[0], string]>([
  [{ PublicKey }, 'KMS answered without the type of the key (KeySpec).'],
  [{ KeySpec: 'RSA_2048' }, 'KMS answered without the public key.'],
  [{}, 'KMS answered without the public key.'],
  [{ PublicKey, KeySpec: 'ECC_SECG_P256K1' }, 'The KMS key has the type ECC_SECG_P256K1, which cannot sign documents.'],
])('the answer %j of KMS fails with a sentence that says why', (answer, sentence) => {
  expect(() => readPublicKey(answer, (problem) => new Error(problem))).toThrow(sentence);
});
