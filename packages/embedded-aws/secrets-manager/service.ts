import {
  AwsError,
  existing,
  type JsonObject,
  notSupported,
  type Operations,
  optionalString,
  requiredString,
} from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import type { Secret, SecretVersion } from './secret.ts';

export function createSecretsManager(clock: Clock) {
  const secrets: Secret[] = [];
  /** Finds a secret by name, by ARN, or by ARN without the six characters that Secrets Manager appends. */
  const lookUp = (id: string) =>
    secrets.find(({ settings: { name, arn } }) => name === id || arn === id || arn.slice(0, -'-123456'.length) === id);
  const find = (input: JsonObject): Secret => {
    const found = lookUp(requiredString(input, 'SecretId'));
    return existing(found, NOT_FOUND, "Secrets Manager can't find the specified secret.");
  };
  const operations: Operations = {
    GetSecretValue: (input) => getSecretValue(find(input), input),
    PutSecretValue: (input) => putSecretValue(find(input), input, clock.now()),
    DescribeSecret: (input) => describe(find(input)),
  };
  return {
    operations,
    add: (secret: Secret) => void secrets.push(secret),
    arnOf: (id: string) => lookUp(id)?.settings.arn,
  };
}

function putSecretValue(secret: Secret, input: JsonObject, now: number): object {
  const value = givenValue(input);
  if (input.VersionStages !== undefined) {
    throw notSupported('InvalidParameterException', 'VersionStages: it always moves AWSCURRENT');
  }
  const token = optionalString(input, 'ClientRequestToken');
  if (token !== undefined && !/^.{32,64}$/.test(token)) {
    throw new AwsError('InvalidParameterException', 'ClientRequestToken must be 32-64 characters long.');
  }
  return identity(secret, secret.put(value, now, token));
}

const LARGEST_VALUE = 65_536;

function givenValue(input: JsonObject): string {
  if (input.SecretBinary !== undefined) throw notSupported('InvalidParameterException', 'SecretBinary');
  const value = optionalString(input, 'SecretString');
  if (value === undefined) {
    throw new AwsError('InvalidRequestException', 'You must provide either SecretString or SecretBinary.');
  }
  if (value.length <= LARGEST_VALUE) return value;
  throw new AwsError('ValidationException', `A secret value has at most ${LARGEST_VALUE} characters.`);
}

const NOT_FOUND = 'ResourceNotFoundException';

function getSecretValue(secret: Secret, input: JsonObject): object {
  const versionId = optionalString(input, 'VersionId');
  const stage = optionalString(input, 'VersionStage') ?? 'AWSCURRENT';
  const wanted = versionId === undefined ? `staging label: ${stage}` : `VersionId: ${versionId}`;
  const found = versionId === undefined ? secret.staged(stage) : secret.version(versionId);
  const version = existing(found, NOT_FOUND, `Secrets Manager can't find the specified secret value for ${wanted}`);
  return {
    ...identity(secret, version),
    CreatedDate: version.createdAt / 1000,
    SecretString: version.secretString,
  };
}

function identity(secret: Secret, { versionId }: SecretVersion): object {
  const { arn: ARN, name: Name } = secret.settings;
  return { ARN, Name, VersionId: versionId, VersionStages: secret.stagesOf(versionId) };
}

function describe(secret: Secret): object {
  const { arn: ARN, name: Name, createdAt } = secret.settings;
  return {
    ARN,
    Name,
    CreatedDate: createdAt / 1000,
    LastChangedDate: secret.changedAt / 1000,
    VersionIdsToStages: secret.versionsToStages(),
  };
}
