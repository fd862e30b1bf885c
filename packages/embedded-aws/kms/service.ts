import { randomUUID } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import { AwsError, notSupported } from '../protocol/errors.ts';
import { epochSeconds, type JsonObject } from '../protocol/json.ts';
import { type Operations, optionalString, requiredString } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import { SigningKey } from './key.ts';

/** KMS, limited to asymmetric signing keys and their aliases. */
export class KmsService {
  readonly #account: Account;
  readonly #clock: Clock;
  readonly #keys: SigningKey[] = [];
  /** Key ids by `alias/<name>`. */
  readonly #aliases = new Map<string, string>();

  constructor(account: Account, clock: Clock) {
    this.#account = account;
    this.#clock = clock;
  }

  create(spec: string, keyId: string): SigningKey {
    const createdAt = this.#clock.now();
    const key = new SigningKey({ keyId, arn: arn(this.#account, 'kms', `key/${keyId}`), spec, createdAt });
    this.#keys.push(key);
    return key;
  }

  operations(): Operations {
    return {
      CreateKey: (input) => ({ KeyMetadata: metadata(this.#createKey(input)) }),
      CreateAlias: (input) => {
        this.#aliases.set(requiredString(input, 'AliasName'), this.#target(requiredString(input, 'TargetKeyId')).keyId);
      },
      DisableKey: (input) => void Object.assign(this.#find(input), { isEnabled: false }),
      EnableKey: (input) => void Object.assign(this.#find(input), { isEnabled: true }),
      GetPublicKey: (input) => publicKey(this.#find(input)),
      Sign: (input) => signature(this.#find(input), input),
    };
  }

  /** The ARN of the key that a request names, or undefined. */
  arnOf(id: string): string | undefined {
    return this.#lookUp(id)?.arn;
  }

  #createKey(input: JsonObject): SigningKey {
    const usage = optionalString(input, 'KeyUsage');
    if (usage !== 'SIGN_VERIFY') throw notSupported('UnsupportedOperationException', `KeyUsage ${usage}`);
    return this.create(requiredString(input, 'KeySpec'), randomUUID());
  }

  #find(input: JsonObject): SigningKey {
    return this.#target(requiredString(input, 'KeyId'));
  }

  #target(id: string): SigningKey {
    const found = this.#lookUp(id);
    if (found) return found;
    throw new AwsError('NotFoundException', `Key '${id}' does not exist.`);
  }

  /** Finds a key by id, ARN or alias. */
  #lookUp(id: string): SigningKey | undefined {
    const keyId = this.#aliases.get(id) ?? id;
    return this.#keys.find((key) => key.keyId === keyId || key.arn === keyId);
  }
}

function metadata({ keyId, arn: Arn, spec, algorithms, isEnabled, createdAt }: SigningKey): object {
  return {
    KeyId: keyId,
    Arn,
    KeySpec: spec,
    KeyUsage: 'SIGN_VERIFY',
    SigningAlgorithms: algorithms,
    Enabled: isEnabled,
    KeyState: isEnabled ? 'Enabled' : 'Disabled',
    CreationDate: epochSeconds(createdAt),
  };
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
  if (optionalString(input, 'MessageType') === 'DIGEST') throw digestRefusal(message, algorithm);
  const signed = key.sign(message, algorithm);
  return { KeyId: key.arn, SigningAlgorithm: algorithm, Signature: signed.toString('base64') };
}

/** Node cannot sign a given digest: https://nodejs.org/api/crypto.html has no such function for ECDSA. */
function digestRefusal(digest: Buffer, algorithm: string): AwsError {
  if (digest.length * 8 !== Number(algorithm.slice(-3))) {
    return new AwsError('ValidationException', `Digest is invalid length for algorithm ${algorithm}.`);
  }
  return new AwsError('UnsupportedOperationException', 'The embedded AWS supports only MessageType RAW.');
}
