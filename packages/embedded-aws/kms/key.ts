import { constants, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { AwsError, notSupported } from '../protocol/operation.ts';

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

/** The supported key specs. */
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
export class SigningKey {
  readonly keyId: string;
  readonly arn: string;
  readonly spec: string;
  readonly createdAt: number;
  isEnabled = true;
  readonly #privateKey: KeyObject;

  /** @throws AwsError for a key spec that is not supported. */
  constructor(settings: { keyId: string; arn: string; spec: string; createdAt: number }) {
    const spec = SPECS[settings.spec];
    if (!spec) throw notSupported('ValidationException', `the KMS key spec ${settings.spec}`);
    this.keyId = settings.keyId;
    this.arn = settings.arn;
    this.spec = settings.spec;
    this.createdAt = settings.createdAt;
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
