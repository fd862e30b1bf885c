import { createPublicKey, verify } from 'node:crypto';
import { DisableKeyCommand, EnableKeyCommand, GetPublicKeyCommand, KMSClient, SignCommand, type SigningAlgorithmSpec } from '@aws-sdk/client-kms';
import { DescribeSecretCommand, GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { casesOf, embedded, moto, type Scope, unchecked } from '../case.ts';

const secret = casesOf(SecretsManagerClient, 'https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_{operation}.html', ({ secret }) => ({ SecretId: secret }));
const TOKEN = 'c0ffee00-0000-4000-8000-000000000001';
const text = ({ SecretString }: { SecretString?: string | undefined }) => SecretString;

export const secretsManager = {
  service: 'Secrets Manager',
  cases: [
    secret.answers('the present value', GetSecretValueCommand, {}, text, 'first', { keep: ({ VersionId }) => ({ first: VersionId }) }),
    secret.refuses('a secret that does not exist', GetSecretValueCommand, { SecretId: 'conformance-none' }, 'ResourceNotFoundException'),
    secret.refuses('a secret without a value', GetSecretValueCommand, ({ emptySecret }) => ({ SecretId: emptySecret }), 'ResourceNotFoundException'),
    secret.refuses('a stage that no version has', GetSecretValueCommand, { VersionStage: 'NONE' }, 'ResourceNotFoundException'),
    secret.refuses('a version that does not exist', GetSecretValueCommand, { VersionId: TOKEN }, 'ResourceNotFoundException'),
    secret.answers('a new value', PutSecretValueCommand, { SecretString: 'second', ClientRequestToken: TOKEN }, ({ VersionId, VersionStages }) => [VersionId, VersionStages], [TOKEN, ['AWSCURRENT']]),
    secret.answers('the new value', GetSecretValueCommand, {}, text, 'second', { eventually: true }),
    secret.answers('the value before it', GetSecretValueCommand, { VersionStage: 'AWSPREVIOUS' }, text, 'first', { eventually: true }),
    secret.answers('a version', GetSecretValueCommand, ({ first }) => ({ VersionId: first }), text, 'first'),
    secret.answers('the same value with the same token', PutSecretValueCommand, { SecretString: 'second', ClientRequestToken: TOKEN }, ({ VersionId }) => VersionId, TOKEN),
    secret.answers('the stages of the versions', DescribeSecretCommand, {}, ({ VersionIdsToStages = {} }) => VersionIdsToStages[TOKEN], ['AWSCURRENT']),
    secret.refuses('another value with the same token', PutSecretValueCommand, { SecretString: 'third', ClientRequestToken: TOKEN }, 'ResourceExistsException'),
    secret.refuses('a token of 31 characters', PutSecretValueCommand, { SecretString: 'third', ClientRequestToken: TOKEN.slice(5) }, 'InvalidParameterException'),
    secret.refuses('no value', PutSecretValueCommand, {}, 'InvalidRequestException'),
    secret.refuses('more than 64 KiB', PutSecretValueCommand, { SecretString: 'x'.repeat(65_537) }, 'ValidationException', unchecked),
    secret.refuses('a secret that does not exist', PutSecretValueCommand, ({ bus }) => ({ SecretId: `${bus}-none`, SecretString: 'x' }), 'ResourceNotFoundException'),
    secret.refuses('a secret that does not exist', DescribeSecretCommand, { SecretId: 'conformance-none' }, 'ResourceNotFoundException'),
  ],
};

const key = casesOf(KMSClient, 'https://docs.aws.amazon.com/kms/latest/APIReference/API_{operation}.html', ({ ecKey }) => ({ KeyId: ecKey }));
const message = Buffer.from('The loan agreement');
const raw = { Message: message, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' } as const;
const rsa =
  (SigningAlgorithm: SigningAlgorithmSpec) =>
  ({ rsaKey }: Scope) => ({ ...raw, KeyId: rsaKey, SigningAlgorithm });
const otherError = moto('ValidationException', 'AWS names InvalidKeyUsageException for an algorithm that the key does not have.');
let publicKey = Buffer.alloc(0);
const isGenuine = (Signature?: Uint8Array) => verify('sha256', message, createPublicKey({ key: publicKey, format: 'der', type: 'spki' }), Signature ?? Buffer.alloc(0));

export const kms = {
  service: 'KMS',
  cases: [
    key.answers(
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
    key.refuses('a key that does not exist', GetPublicKeyCommand, { KeyId: '00000000-0000-4000-8000-000000000000' }, 'NotFoundException'),
    key.answers('a message', SignCommand, raw, ({ Signature }) => isGenuine(Signature), true),
    key.answers('a message with RSA and PSS', SignCommand, rsa('RSASSA_PSS_SHA_256'), ({ Signature }) => Signature?.length, 256),
    key.answers('a message with RSA and PKCS #1', SignCommand, rsa('RSASSA_PKCS1_V1_5_SHA_512'), ({ Signature }) => Signature?.length, 256),
    key.accepts(
      'a digest',
      SignCommand,
      { ...raw, Message: Buffer.alloc(32, 1), MessageType: 'DIGEST' },
      embedded('UnsupportedOperationException', 'Node cannot sign a digest, and nothing here asks for it.'),
    ),
    key.refuses('no message', SignCommand, { ...raw, Message: Buffer.alloc(0) }, 'ValidationException'),
    key.refuses('a message of 4,097 bytes', SignCommand, { ...raw, Message: Buffer.alloc(4_097) }, 'ValidationException', unchecked),
    key.refuses('an algorithm of another kind of key', SignCommand, { ...raw, SigningAlgorithm: 'RSASSA_PSS_SHA_256' }, 'InvalidKeyUsageException', otherError),
    key.refuses('an algorithm of a larger key', SignCommand, { ...raw, SigningAlgorithm: 'ECDSA_SHA_384' }, 'InvalidKeyUsageException', otherError),
    key.refuses('an algorithm that does not exist', SignCommand, { ...raw, SigningAlgorithm: 'NONE' as 'ECDSA_SHA_256' }, 'ValidationException'),
    key.refuses('a key that does not exist', SignCommand, { ...raw, KeyId: '00000000-0000-4000-8000-000000000000' }, 'NotFoundException'),
    key.accepts('the key', DisableKeyCommand, {}),
    key.refuses('a disabled key', SignCommand, raw, 'DisabledException', { eventually: true, ...unchecked }),
    key.refuses('a disabled key', GetPublicKeyCommand, {}, 'DisabledException', { eventually: true, ...unchecked }),
    key.accepts('the key', EnableKeyCommand, {}),
  ],
};
