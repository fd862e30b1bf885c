import { constants, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import {
  AwsError,
  type JsonObject,
  notSupported,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';

/** KMS, limited to the asymmetric signing keys of the stacks. */
export function createKms(account: Account) {
  const keys: SigningKey[] = [];
  /** Finds a key by id or ARN. */
  const lookUp = (id: string) => keys.find(({ keyId, arn: keyArn }) => keyId === id || keyArn === id);
  const find = (input: JsonObject): SigningKey => {
    const id = requiredString(input, 'KeyId');
    const found = lookUp(id);
    if (found) return found;
    throw new AwsError('NotFoundException', `Key '${id}' does not exist.`);
  };
  const create = (spec: string, keyId: string): SigningKey => {
    const key = new SigningKey({ keyId, arn: arn(account, 'kms', `key/${keyId}`), spec });
    keys.push(key);
    return key;
  };
  const operations: Operations = {
    CreateKey: (input) => createKey(input, create),
    DisableKey: (input) => void Object.assign(find(input), { isEnabled: false }),
    EnableKey: (input) => void Object.assign(find(input), { isEnabled: true }),
    GetPublicKey: (input) => publicKey(find(input)),
    Sign: (input) => signature(find(input), input),
  };
  /** The ARN of the key that a request names, or undefined. */
  const arnOf = (id: string) => lookUp(id)?.arn;
  return { create, operations, arnOf };
}

function createKey(input: JsonObject, create: (spec: string, keyId: string) => SigningKey): object {
  const usage = optionalString(input, 'KeyUsage');
  if (usage !== 'SIGN_VERIFY') throw notSupported('UnsupportedOperationException', `KeyUsage ${usage}`);
  const { keyId: KeyId, arn: Arn } = create(requiredString(input, 'KeySpec'), randomUUID());
  return { KeyMetadata: { KeyId, Arn } };
}

function publicKey(key: SigningKey): object {
  if (!key.isEnabled) throw new AwsError('DisabledException', `${key.arn} is disabled.`);
  const { arn: KeyId, spec, algorithms } = key;
  return {
    KeyId,
    KeySpec: spec,
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: algorithms,
    PublicKey: key.publicKey().toString('base64'),
  };
}

function signature(key: SigningKey, input: JsonObject): object {
  const algorithm = requiredString(input, 'SigningAlgorithm');
  const message = Buffer.from(requiredString(input, 'Message'), 'base64');
  // Node cannot sign a digest that is given: https://nodejs.org/api/crypto.html has no such function for ECDSA.
  if (optionalString(input, 'MessageType') === 'DIGEST') throw notSupported('UnsupportedOperationException', 'DIGEST');
  const signed = key.sign(message, algorithm);
  return { KeyId: key.arn, SigningAlgorithm: algorithm, Signature: signed.toString('base64') };
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

/** An asymmetric signing key, generated when the embedded AWS starts. Its private key never leaves this object. */
class SigningKey {
  readonly keyId: string;
  readonly arn: string;
  readonly spec: string;
  isEnabled = true;
  readonly #privateKey: KeyObject;

  /** @throws AwsError for a key spec that is not supported. */
  constructor(settings: { keyId: string; arn: string; spec: string }) {
    const spec = SPECS[settings.spec];
    if (!spec) throw notSupported('ValidationException', `the KMS key spec ${settings.spec}`);
    this.keyId = settings.keyId;
    this.arn = settings.arn;
    this.spec = settings.spec;
    this.#privateKey = spec.generate();
  }

  get algorithms(): string[] {
    return SPECS[this.spec]?.algorithms ?? [];
  }

  /** SubjectPublicKeyInfo, DER. */
  publicKey(): Buffer {
    return createPublicKey(this.#privateKey).export({ type: 'spki', format: 'der' });
  }

  /** Hashes the message and signs it. An ECDSA signature is in DER. */
  sign(message: Buffer, algorithm: string): Buffer {
    if (!this.isEnabled) throw new AwsError('DisabledException', `${this.arn} is disabled.`);
    if (!ALGORITHMS.has(algorithm)) {
      throw notSupported('ValidationException', `the signing algorithm ${algorithm}`);
    }
    if (!this.algorithms.includes(algorithm)) {
      throw new AwsError('InvalidKeyUsageException', `${this.arn} does not sign with ${algorithm}.`);
    }
    if (message.length === 0 || message.length > LARGEST_MESSAGE) {
      throw new AwsError('ValidationException', `A message has 1 to ${LARGEST_MESSAGE} bytes.`);
    }
    const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
    const key = algorithm.startsWith(PSS) ? { key: this.#privateKey, padding, saltLength } : this.#privateKey;
    return sign(`sha${algorithm.slice(-3)}`, message, key);
  }
}
