import { randomUUID } from 'node:crypto';
import { AwsError } from '../protocol/operation.ts';

export interface SecretVersion {
  versionId: string;
  secretString: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** A secret with its versions. Each new version moves the labels `AWSCURRENT` and `AWSPREVIOUS`. */
export class Secret {
  readonly settings: { name: string; arn: string; createdAt: number };
  readonly #versions = new Map<string, SecretVersion>();
  readonly #stages = new Map<string, string>();

  constructor(settings: Secret['settings']) {
    this.settings = settings;
  }

  /** Adds a version. Throws an AwsError if the version exists with another value. */
  put(secretString: string, createdAt: number, versionId: string = randomUUID()): SecretVersion {
    const existing = this.#versions.get(versionId);
    if (existing?.secretString === secretString) return existing;
    if (existing) throw new AwsError('ResourceExistsException', `Version ${versionId} exists with another value.`);
    const version = { secretString, versionId, createdAt };
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

  get changedAt(): number {
    return this.staged('AWSCURRENT')?.createdAt ?? this.settings.createdAt;
  }

  stagesOf(versionId: string): string[] {
    return [...this.#stages].filter(([, id]) => id === versionId).map(([stage]) => stage);
  }

  versionsToStages(): Record<string, string[]> {
    return Object.fromEntries([...this.#stages.values()].map((id) => [id, this.stagesOf(id)]));
  }
}
