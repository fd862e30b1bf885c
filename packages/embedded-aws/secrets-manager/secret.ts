import { randomInt, randomUUID } from 'node:crypto';
import { AwsError, isJsonObject, type JsonObject, UnsupportedError } from '../protocol/operation.ts';

export interface SecretVersion {
  versionId: string;
  secretString?: string;
  /** Base64. */
  secretBinary?: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

export type SecretValue = Pick<SecretVersion, 'secretString' | 'secretBinary'>;

/** A secret with its versions. A new version moves `AWSCURRENT` and `AWSPREVIOUS`. */
export class Secret {
  readonly name: string;
  readonly arn: string;
  readonly description: string | undefined;
  readonly createdAt: number;
  readonly #versions = new Map<string, SecretVersion>();
  readonly #stages = new Map<string, string>();

  constructor(settings: { name: string; arn: string; description?: string; createdAt: number }) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.description = settings.description;
    this.createdAt = settings.createdAt;
  }

  /** Throws an AwsError if the version exists with another value. */
  put(value: SecretValue, createdAt: number, versionId: string = randomUUID()): SecretVersion {
    const existing = this.#versions.get(versionId);
    if (existing) return withValue(existing, value);
    const version = { ...value, versionId, createdAt };
    this.#versions.set(versionId, version);
    const current = this.#stages.get('AWSCURRENT');
    if (current !== undefined) this.#stages.set('AWSPREVIOUS', current);
    this.#stages.set('AWSCURRENT', versionId);
    return version;
  }

  version(versionId: string): SecretVersion | undefined {
    return this.#versions.get(versionId);
  }

  staged(stage: string): SecretVersion | undefined {
    return this.#versions.get(this.#stages.get(stage) ?? '');
  }

  /** When the secret or its value was last changed. */
  get changedAt(): number {
    return this.staged('AWSCURRENT')?.createdAt ?? this.createdAt;
  }

  stagesOf(versionId: string): string[] {
    return [...this.#stages].filter(([, id]) => id === versionId).map(([stage]) => stage);
  }

  /** The staging labels of every version that has one. */
  versionsToStages(): Record<string, string[]> {
    return Object.fromEntries([...this.#stages.values()].map((id) => [id, this.stagesOf(id)]));
  }
}

function withValue(version: SecretVersion, { secretString, secretBinary }: SecretValue): SecretVersion {
  if (version.secretString === secretString && version.secretBinary === secretBinary) return version;
  throw new AwsError('ResourceExistsException', `Version ${version.versionId} exists with another value.`);
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/** The value for a template's `GenerateSecretString`: a password, or a JSON object that contains one. */
export function generateSecretString(settings: JsonObject): string {
  const password = generatePassword(settings);
  const { SecretStringTemplate: template, GenerateStringKey: key } = settings;
  if (template === undefined) return password;
  const parsed: unknown = JSON.parse(String(template));
  if (!isJsonObject(parsed) || typeof key !== 'string') {
    throw new UnsupportedError('SecretStringTemplate must be a JSON object and needs a GenerateStringKey.');
  }
  return JSON.stringify({ ...parsed, [key]: password });
}

function generatePassword(settings: JsonObject): string {
  const excluded = String(settings.ExcludeCharacters ?? '');
  const alphabet = [
    settings.ExcludeLowercase === true ? '' : LOWER,
    settings.ExcludeUppercase === true ? '' : LOWER.toUpperCase(),
    settings.ExcludeNumbers === true ? '' : DIGITS,
    settings.ExcludePunctuation === true ? '' : PUNCTUATION,
    settings.IncludeSpace === true ? ' ' : '',
  ]
    .join('')
    .split('')
    .filter((character) => !excluded.includes(character));
  if (alphabet.length === 0) throw new UnsupportedError('GenerateSecretString excludes every character.');
  const length = Number(settings.PasswordLength ?? 32);
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}
