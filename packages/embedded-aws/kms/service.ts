import { constants, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import {
  AwsError,
  existing,
  type JsonObject,
  notSupported,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';

/** An asymmetric signing key, generated when the embedded AWS starts. */
export interface SigningKey {
  keyId: string;
  arn: string;
  spec: string;
  algorithms: string[];
  privateKey: KeyObject;
  isEnabled: boolean;
}

export function createKms(account: Account) {
  const keys: SigningKey[] = [];
  const lookUp = (id: string) => keys.find(({ keyId, arn: keyArn }) => keyId === id || keyArn === id);
  const find = (input: JsonObject): SigningKey => {
    const id = requiredString(input, 'KeyId');
    return existing(lookUp(id), 'NotFoundException', `Key '${id}' does not exist.`);
  };
  const create = (spec: string, keyId: string): SigningKey => {
    const known = SPECS[spec];
    if (!known) throw notSupported('ValidationException', `the KMS key spec ${spec}`);
    const { algorithms, generate } = known;
    const keyArn = arn(account, 'kms', `key/${keyId}`);
    const key = { keyId, arn: keyArn, spec, algorithms, privateKey: generate(), isEnabled: true };
    keys.push(key);
    return key;
  };
  const operations: Operations = {
    CreateKey: (input) => {
      const usage = optionalString(input, 'KeyUsage');
      if (usage !== 'SIGN_VERIFY') throw notSupported('UnsupportedOperationException', `KeyUsage ${usage}`);
      const { keyId: KeyId, arn: Arn } = create(requiredString(input, 'KeySpec'), randomUUID());
      return { KeyMetadata: { KeyId, Arn } };
    },
    DisableKey: (input) => void Object.assign(find(input), { isEnabled: false }),
    EnableKey: (input) => void Object.assign(find(input), { isEnabled: true }),
    GetPublicKey: (input) => publicKey(find(input)),
    Sign: (input) => signature(find(input), input),
  };
  return { create, operations, arnOf: (id: string) => lookUp(id)?.arn };
}

function requireEnabled({ isEnabled, arn: keyArn }: SigningKey): void {
  if (!isEnabled) throw new AwsError('DisabledException', `${keyArn} is disabled.`);
}

function publicKey(key: SigningKey): object {
  requireEnabled(key);
  const { arn: KeyId, spec: KeySpec, algorithms: SigningAlgorithms, privateKey } = key;
  const PublicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  return { KeyId, KeySpec, KeyUsage: 'SIGN_VERIFY', SigningAlgorithms, PublicKey };
}

/** Hashes and signs the message. ECDSA signatures are DER. */
function signature(key: SigningKey, input: JsonObject): object {
  const algorithm = requiredString(input, 'SigningAlgorithm');
  const message = Buffer.from(requiredString(input, 'Message'), 'base64');
  // Node cannot sign a precomputed digest with ECDSA (https://nodejs.org/api/crypto.html).
  if (optionalString(input, 'MessageType') === 'DIGEST') throw notSupported('UnsupportedOperationException', 'DIGEST');
  requireEnabled(key);
  const { arn: KeyId, algorithms, privateKey } = key;
  if (!ALGORITHMS.has(algorithm)) throw notSupported('ValidationException', `the signing algorithm ${algorithm}`);
  if (!algorithms.includes(algorithm))
    throw new AwsError('InvalidKeyUsageException', `${KeyId} does not sign with ${algorithm}.`);
  if (message.length === 0 || message.length > LARGEST_MESSAGE)
    throw new AwsError('ValidationException', `A message has 1 to ${LARGEST_MESSAGE} bytes.`);
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  const signer = algorithm.startsWith(PSS) ? { key: privateKey, padding, saltLength } : privateKey;
  const signed = sign(`sha${algorithm.slice(-3)}`, message, signer);
  return { KeyId, SigningAlgorithm: algorithm, Signature: signed.toString('base64') };
}

interface Spec {
  algorithms: string[];
  generate(): KeyObject;
}

const PSS = 'RSASSA_PSS';
const RSA_ALGORITHMS = ['RSASSA_PKCS1_V1_5', PSS].flatMap((scheme) =>
  ['256', '384', '512'].map((size) => `${scheme}_SHA_${size}`),
);

const rsa = (modulusLength: number): Spec => ({
  algorithms: RSA_ALGORITHMS,
  generate: () => generateKeyPairSync('rsa', { modulusLength }).privateKey,
});

const ecdsa = (namedCurve: string, algorithm: string): Spec => ({
  algorithms: [algorithm],
  generate: () => generateKeyPairSync('ec', { namedCurve }).privateKey,
});

const SPECS: Record<string, Spec> = {
  RSA_2048: rsa(2048),
  RSA_3072: rsa(3072),
  RSA_4096: rsa(4096),
  ECC_NIST_P256: ecdsa('P-256', 'ECDSA_SHA_256'),
  ECC_NIST_P384: ecdsa('P-384', 'ECDSA_SHA_384'),
};

const ALGORITHMS = new Set(Object.values(SPECS).flatMap(({ algorithms }) => algorithms));

const LARGEST_MESSAGE = 4096;
