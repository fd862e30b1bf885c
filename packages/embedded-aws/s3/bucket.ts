import { randomUUID } from 'node:crypto';
import { positionIn } from '../sorted-list.ts';
import type { BodyStore, Segment, StoredBody } from './body-store.ts';
import type { Checksum } from './checksums.ts';

/** One version of an object, or a delete marker. */
export interface ObjectVersion {
  key: string;
  /** The text `null` in a bucket without versioning. */
  versionId: string;
  isDeleteMarker: boolean;
  /** Bytes. */
  size: number;
  /** Without quotes. */
  etag: string;
  /** Milliseconds since the epoch. */
  lastModified: number;
  /** The body: one segment, or one for each part of a multipart upload. */
  segments: Segment[];
  /** Headers that are stored with the object, such as Content-Type and `x-amz-meta-*`. */
  headers: Record<string, string>;
  checksum?: Checksum;
  /** Hexadecimal. A later change to the same key has a larger one. */
  sequencer: string;
}

export type NewVersion = Omit<ObjectVersion, 'versionId' | 'sequencer' | 'isDeleteMarker'>;

export interface MultipartUpload {
  uploadId: string;
  key: string;
  headers: Record<string, string>;
  initiated: number;
  /** The checksum that the client announced. */
  algorithm?: string;
  /** From CreateMultipartUpload. With FULL_OBJECT, CompleteMultipartUpload gives the checksum. */
  checksumType: 'FULL_OBJECT' | 'COMPOSITE';
  parts: Map<number, StoredBody & { lastModified: number }>;
}

const SEQUENCER_LENGTH = 18;
let changes = 0n;

/** The sequencer of the version with this id, even if the version was removed. Nothing is older than the version `null`. */
export function sequencerOf(versionId: string): string {
  return versionId === 'null' ? '' : versionId.slice(-SEQUENCER_LENGTH);
}

export class Bucket {
  readonly name: string;
  readonly arn: string;
  readonly isVersioned: boolean;
  readonly sendsEvents: boolean;
  readonly uploads = new Map<string, MultipartUpload>();
  /** By key, newest first. */
  readonly #versions = new Map<string, ObjectVersion[]>();
  readonly #keys = new SortedKeys();
  readonly #bodies: BodyStore;

  constructor(settings: { name: string; arn: string; isVersioned: boolean; sendsEvents: boolean; bodies: BodyStore }) {
    this.name = settings.name;
    this.arn = settings.arn;
    this.isVersioned = settings.isVersioned;
    this.sendsEvents = settings.sendsEvents;
    this.#bodies = settings.bodies;
  }

  async forget(): Promise<void> {
    for (const version of [...this.#versions.values()].flat()) await this.remove(version);
    this.uploads.clear();
  }

  /** The given version, or the newest one, which may be a delete marker. */
  find(key: string, versionId?: string): ObjectVersion | undefined {
    const versions = this.#versions.get(key);
    return versionId === undefined ? versions?.[0] : versions?.find((version) => version.versionId === versionId);
  }

  /** The newest version, unless it is a delete marker. */
  current(key: string): ObjectVersion | undefined {
    const newest = this.find(key);
    return newest?.isDeleteMarker ? undefined : newest;
  }

  async add(version: NewVersion, isDeleteMarker = false): Promise<ObjectVersion> {
    changes += 1n;
    const sequencer = changes.toString(16).toUpperCase().padStart(SEQUENCER_LENGTH, '0');
    // S3 finds the versions after a removed one, so the id contains the sequencer.
    const versionId = this.isVersioned
      ? `${randomUUID().replaceAll('-', '').slice(sequencer.length)}${sequencer}`
      : 'null';
    const added = { ...version, versionId, sequencer, isDeleteMarker };
    const others = this.#versions.get(version.key) ?? [];
    const replaced = this.isVersioned ? [] : others;
    this.#versions.set(version.key, [added, ...(this.isVersioned ? others : [])]);
    this.#keys.add(version.key);
    await this.#bodies.discard(replaced.flatMap((old) => old.segments));
    return added;
  }

  async remove(version: ObjectVersion): Promise<void> {
    const left = (this.#versions.get(version.key) ?? []).filter((other) => other !== version);
    if (left.length > 0) this.#versions.set(version.key, left);
    else {
      this.#versions.delete(version.key);
      this.#keys.delete(version.key);
    }
    await this.#bodies.discard(version.segments);
  }

  /** The keys that start with the prefix, in the order of their UTF-8 bytes, as S3 lists them. */
  keysUnder(prefix: string): string[] {
    return this.#keys.startingWith(prefix);
  }

  versionsOf(key: string): readonly ObjectVersion[] {
    return this.#versions.get(key) ?? [];
  }
}

/** Keys in the order of their UTF-8 bytes, as S3 lists them. They are kept sorted, because sorting for every listing would be slow. */
class SortedKeys {
  readonly #keys: { key: string; bytes: Buffer }[] = [];

  add(key: string): void {
    const bytes = Buffer.from(key);
    const position = this.#positionOf(bytes);
    if (this.#keys[position]?.key !== key) this.#keys.splice(position, 0, { key, bytes });
  }

  delete(key: string): void {
    const position = this.#positionOf(Buffer.from(key));
    if (this.#keys[position]?.key === key) this.#keys.splice(position, 1);
  }

  startingWith(prefix: string): string[] {
    const found: string[] = [];
    for (let position = this.#positionOf(Buffer.from(prefix)); ; position += 1) {
      const key = this.#keys[position]?.key;
      if (!key?.startsWith(prefix)) return found;
      found.push(key);
    }
  }

  #positionOf(bytes: Buffer): number {
    return positionIn(this.#keys, (other) => Buffer.compare(other.bytes, bytes) < 0);
  }
}
