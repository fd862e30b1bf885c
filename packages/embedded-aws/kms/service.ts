import { randomUUID } from 'node:crypto';
import { type Account, arn } from '../account.ts';
import {
  AwsError,
  epochSeconds,
  type JsonObject,
  notSupported,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import { SigningKey } from './key.ts';

/** KMS, limited to asymmetric signing keys and their aliases. */
export function createKms(account: Account, clock: Clock) {
  const keys: SigningKey[] = [];
  /** Key ids by `alias/<name>`. */
  const aliases = new Map<string, string>();
  /** Finds a key by id, ARN or alias. */
  const lookUp = (id: string) => {
    const wanted = aliases.get(id) ?? id;
    return keys.find(({ keyId, arn: keyArn }) => keyId === wanted || keyArn === wanted);
  };
  const find = (input: JsonObject, member = 'KeyId'): SigningKey => {
    const id = requiredString(input, member);
    const found = lookUp(id);
    if (found) return found;
    throw new AwsError('NotFoundException', `Key '${id}' does not exist.`);
  };
  const create = (spec: string, keyId: string): SigningKey => {
    const key = new SigningKey({ keyId, arn: arn(account, 'kms', `key/${keyId}`), spec, createdAt: clock.now() });
    keys.push(key);
    return key;
  };
  const operations: Operations = {
    CreateKey: (input) => ({ KeyMetadata: metadata(create(specOf(input), randomUUID())) }),
    CreateAlias: (input) => void aliases.set(requiredString(input, 'AliasName'), find(input, 'TargetKeyId').keyId),
    DisableKey: (input) => void Object.assign(find(input), { isEnabled: false }),
    EnableKey: (input) => void Object.assign(find(input), { isEnabled: true }),
    GetPublicKey: (input) => publicKey(find(input)),
    Sign: (input) => signature(find(input), input),
  };
  /** The ARN of the key that a request names, or undefined. */
  const arnOf = (id: string) => lookUp(id)?.arn;
  return { create, operations, arnOf };
}

function specOf(input: JsonObject): string {
  const usage = optionalString(input, 'KeyUsage');
  if (usage !== 'SIGN_VERIFY') throw notSupported('UnsupportedOperationException', `KeyUsage ${usage}`);
  return requiredString(input, 'KeySpec');
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
