import { createPublicKey, verify } from 'node:crypto';
import { DisableKeyCommand, EnableKeyCommand, GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { casesOf, embedded, misdirected, moto, unchecked } from '../case.ts';

const { answers, refuses } = casesOf(KMSClient, 'https://docs.aws.amazon.com/kms/latest/APIReference/API_{operation}.html', ({ ecKey }) => ({ KeyId: ecKey }));
const message = Buffer.from('The loan agreement');
const raw = { Message: message, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' } as const;
const rsa = ({ rsaKey }: Record<string, string>) => ({ KeyId: rsaKey });
const digest = (bytes: number) => ({ ...raw, Message: Buffer.alloc(bytes, 1), MessageType: 'DIGEST' }) as const;
/** The public key that the first case has read. */
let publicKey = Buffer.alloc(0);
const isGenuine = (Signature?: Uint8Array) => verify('sha256', message, createPublicKey({ key: publicKey, format: 'der', type: 'spki' }), Signature ?? Buffer.alloc(0));

export const kms = {
  service: 'KMS',
  cases: [
    answers(
      'a key',
      GetPublicKeyCommand,
      {},
      ({ KeySpec, KeyUsage, SigningAlgorithms, PublicKey = new Uint8Array() }) => {
        publicKey = Buffer.from(PublicKey);
        return [KeySpec, KeyUsage, SigningAlgorithms];
      },
      ['ECC_NIST_P256', 'SIGN_VERIFY', ['ECDSA_SHA_256']],
      moto('[null,"SIGN_VERIFY",["ECDSA_SHA_256"]]', 'moto leaves KeySpec out.'),
    ),
    refuses('a key that does not exist', GetPublicKeyCommand, { KeyId: '00000000-0000-4000-8000-000000000000' }, 'NotFoundException'),
    answers('a message', SignCommand, raw, ({ Signature }) => isGenuine(Signature), true),
    answers(
      'a message with RSA and PSS',
      SignCommand,
      (scope) => ({ ...rsa(scope), ...raw, SigningAlgorithm: 'RSASSA_PSS_SHA_256' as const }),
      ({ Signature }) => Signature?.length,
      256,
    ),
    answers(
      'a message with RSA and PKCS #1',
      SignCommand,
      (scope) => ({ ...rsa(scope), ...raw, SigningAlgorithm: 'RSASSA_PKCS1_V1_5_SHA_512' as const }),
      ({ Signature }) => Signature?.length,
      256,
    ),
    answers(
      'a digest',
      SignCommand,
      digest(32),
      ({ Signature }) => Signature !== undefined,
      true,
      embedded('UnsupportedOperationException', 'Node cannot sign a digest, and nothing here asks for it.'),
    ),
    refuses('a digest of 31 bytes', SignCommand, digest(31), 'ValidationException', unchecked),
    refuses('a digest of 64 bytes for SHA-256', SignCommand, digest(64), 'ValidationException', unchecked),
    refuses('no message', SignCommand, { ...raw, Message: Buffer.alloc(0) }, 'ValidationException'),
    refuses('a message of 4,097 bytes', SignCommand, { ...raw, Message: Buffer.alloc(4_097) }, 'ValidationException', unchecked),
    refuses(
      'an algorithm of another kind of key',
      SignCommand,
      { ...raw, SigningAlgorithm: 'RSASSA_PSS_SHA_256' },
      'InvalidKeyUsageException',
      moto('ValidationException', 'AWS names InvalidKeyUsageException for an algorithm that the key does not have.'),
    ),
    refuses(
      'an algorithm of a larger key',
      SignCommand,
      { ...raw, SigningAlgorithm: 'ECDSA_SHA_384' },
      'InvalidKeyUsageException',
      moto('ValidationException', 'AWS names InvalidKeyUsageException for an algorithm that the key does not have.'),
    ),
    refuses('an algorithm that does not exist', SignCommand, { ...raw, SigningAlgorithm: 'NONE' as 'ECDSA_SHA_256' }, 'ValidationException'),
    refuses('a key that does not exist', SignCommand, { ...raw, KeyId: '00000000-0000-4000-8000-000000000000' }, 'NotFoundException'),
    answers('the key', DisableKeyCommand, {}, () => 'disabled', 'disabled'),
    refuses('a disabled key', SignCommand, raw, 'DisabledException', { eventually: true, ...unchecked }),
    refuses('a disabled key', GetPublicKeyCommand, {}, 'DisabledException', { eventually: true, ...unchecked }),
    answers('the key', EnableKeyCommand, {}, () => 'enabled', 'enabled'),
    refuses('a request that is signed for another service', GetPublicKeyCommand, {}, 'InvalidSignatureException', misdirected),
  ],
};
