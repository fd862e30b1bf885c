import { AwsError } from '../protocol/errors.ts';
import { epochSeconds, type JsonObject } from '../protocol/json.ts';
import { type Operations, optionalString, requiredString } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import type { Secret, SecretValue, SecretVersion } from './secret.ts';

export class SecretsManagerService {
  readonly #secrets: Secret[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(secret: Secret): void {
    this.#secrets.push(secret);
  }

  operations(): Operations {
    return {
      GetSecretValue: (input) => getSecretValue(this.#find(input), input),
      PutSecretValue: (input) => this.#put(this.#find(input), input),
      DescribeSecret: (input) => describe(this.#find(input)),
    };
  }

  /** The ARN of the secret that a request names, or undefined. */
  arnOf(id: string): string | undefined {
    return this.#lookUp(id)?.arn;
  }

  #put(secret: Secret, input: JsonObject): object {
    const value = givenValue(input);
    if (input.VersionStages !== undefined) {
      throw new AwsError(
        'InvalidParameterException',
        'The embedded AWS does not support VersionStages: it always moves AWSCURRENT.',
      );
    }
    const token = optionalString(input, 'ClientRequestToken');
    if (token !== undefined && !/^.{32,64}$/.test(token)) {
      throw new AwsError('InvalidParameterException', 'ClientRequestToken must be 32-64 characters long.');
    }
    const version = secret.put(value, this.#clock.now(), token);
    return identity(secret, version);
  }

  #find(input: JsonObject): Secret {
    const found = this.#lookUp(requiredString(input, 'SecretId'));
    if (found) return found;
    throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }

  /** Finds a secret by name, by ARN, or by ARN without the six characters that Secrets Manager appends. */
  #lookUp(id: string): Secret | undefined {
    return this.#secrets.find(
      (secret) => secret.name === id || secret.arn === id || secret.arn.slice(0, -'-123456'.length) === id,
    );
  }
}

/** Characters of a text, and bytes. */
const LARGEST_VALUE = 65_536;

function givenValue(input: JsonObject): SecretValue {
  const secretString = optionalString(input, 'SecretString');
  const secretBinary = optionalString(input, 'SecretBinary');
  if (secretString !== undefined && secretBinary !== undefined) {
    throw new AwsError('InvalidParameterException', 'Give either SecretString or SecretBinary.');
  }
  const size = secretString?.length ?? Buffer.byteLength(secretBinary ?? '', 'base64');
  if (size > LARGEST_VALUE) {
    throw new AwsError('ValidationException', `A secret value has at most ${LARGEST_VALUE} characters or bytes.`);
  }
  if (secretString !== undefined) return { secretString };
  if (secretBinary !== undefined) return { secretBinary };
  throw new AwsError('InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
}

function getSecretValue(secret: Secret, input: JsonObject): object {
  const versionId = optionalString(input, 'VersionId');
  const stage = optionalString(input, 'VersionStage') ?? 'AWSCURRENT';
  const version = versionId === undefined ? secret.staged(stage) : secret.version(versionId);
  if (!version) {
    const wanted = versionId === undefined ? `staging label: ${stage}` : `VersionId: ${versionId}`;
    throw new AwsError(
      'ResourceNotFoundException',
      `Secrets Manager can't find the specified secret value for ${wanted}`,
    );
  }
  return {
    ...identity(secret, version),
    CreatedDate: epochSeconds(version.createdAt),
    ...(version.secretString === undefined ? {} : { SecretString: version.secretString }),
    ...(version.secretBinary === undefined ? {} : { SecretBinary: version.secretBinary }),
  };
}

function identity(secret: Secret, version: SecretVersion): object {
  const { versionId } = version;
  return { ARN: secret.arn, Name: secret.name, VersionId: versionId, VersionStages: secret.stagesOf(versionId) };
}

function describe(secret: Secret): object {
  return {
    ARN: secret.arn,
    Name: secret.name,
    ...(secret.description === undefined ? {} : { Description: secret.description }),
    CreatedDate: epochSeconds(secret.createdAt),
    LastChangedDate: epochSeconds(secret.changedAt),
    VersionIdsToStages: secret.versionsToStages(),
  };
}
