import { randomUUID } from 'node:crypto';
import type { BodyStore, Segment, StoredBody } from './body-store.ts';
import type { Checksum } from './checksums.ts';

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
  /** Headers stored with the object, such as Content-Type and `x-amz-meta-*`. */
  headers: Record<string, string>;
  checksum?: Checksum;
  /** Sequence number in hexadecimal. It grows with each change of the key. */
  sequencer: string;
}

export type NewVersion = Omit<ObjectVersion, 'versionId' | 'sequencer' | 'isDeleteMarker'>;

export interface MultipartUpload {
  uploadId: string;
  key: string;
  headers: Record<string, string>;
  initiated: number;
  algorithm?: string;
  /** From CreateMultipartUpload. With FULL_OBJECT, CompleteMultipartUpload has the checksum. */
  checksumType: 'FULL_OBJECT' | 'COMPOSITE';
  parts: Map<number, StoredBody & { lastModified: number }>;
}

const SEQUENCER_LENGTH = 18;
let changes = 0n;

/** The sequencer in a version ID, which is known even if the version was removed. No version is older than `null`. */
export function sequencerOf(versionId: string): string {
  return versionId === 'null' ? '' : versionId.slice(-SEQUENCER_LENGTH);
}

export type Bucket = ReturnType<typeof openBucket>;

export function openBucket(
  settings: { name: string; arn: string; isVersioned: boolean; sendsEvents: boolean },
  bodies: BodyStore,
) {
  const { isVersioned } = settings;
  const uploads = new Map<string, MultipartUpload>();
  /** Versions by key, newest first. */
  const versionsByKey = new Map<string, ObjectVersion[]>();
  const versionsOf = (key: string): readonly ObjectVersion[] => versionsByKey.get(key) ?? [];
  /** The given version. Default: the newest one, which may be a delete marker. */
  const find = (key: string, versionId = versionsOf(key)[0]?.versionId): ObjectVersion | undefined =>
    versionsOf(key).find((version) => version.versionId === versionId);
  const remove = async (version: ObjectVersion): Promise<void> => {
    const left = versionsOf(version.key).filter((other) => other !== version);
    if (left.length > 0) versionsByKey.set(version.key, left);
    else versionsByKey.delete(version.key);
    await bodies.discard(version.segments);
  };
  return {
    ...settings,
    uploads,
    find,
    remove,
    versionsOf,
    forget: async (): Promise<void> => {
      for (const version of [...versionsByKey.values()].flat()) await remove(version);
      uploads.clear();
    },
    /** The newest version, unless it is a delete marker. */
    current: (key: string): ObjectVersion | undefined => {
      const newest = find(key);
      return newest?.isDeleteMarker ? undefined : newest;
    },
    add: async (version: NewVersion, isDeleteMarker = false): Promise<ObjectVersion> => {
      changes += 1n;
      const sequencer = changes.toString(16).toUpperCase().padStart(SEQUENCER_LENGTH, '0');
      const random = randomUUID().replaceAll('-', '').slice(sequencer.length);
      // The ID contains the sequencer, so a list of versions can continue after a removed one.
      const versionId = isVersioned ? `${random}${sequencer}` : 'null';
      const added = { ...version, versionId, sequencer, isDeleteMarker };
      const others = versionsOf(version.key);
      versionsByKey.set(version.key, [added, ...(isVersioned ? others : [])]);
      await bodies.discard(isVersioned ? [] : others.flatMap(({ segments }) => segments));
      return added;
    },
    /** The keys that start with the prefix, sorted by UTF-8 bytes, as in S3. */
    keysUnder: (prefix: string): string[] =>
      [...versionsByKey.keys()]
        .filter((key) => key.startsWith(prefix))
        .map((key) => ({ key, bytes: Buffer.from(key) }))
        .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
        .map(({ key }) => key),
  };
}
