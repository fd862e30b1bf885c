import {
  DeleteObjectCommand,
  type ObjectVersion as ListedVersion,
  ListObjectVersionsCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { inBatches } from '../in-batches.ts';

/** The objects of a bucket whose keys begin with `prefix`. */
export interface Folder {
  client: S3Client;
  bucket: string;
  prefix: string;
  /** The key of an object that stays. */
  except?: string;
}

type Version = Pick<ListedVersion, 'Key' | 'VersionId'>;

/** How many versions the folder has, delete markers included. */
export async function countVersions(folder: Folder): Promise<number> {
  let count = 0;
  for await (const page of pagesOf(folder)) count += page.length;
  return count;
}

/** Removes versions for good, delete markers included, and at most so many. Returns how many. */
export async function removeVersions(folder: Folder, most = Number.POSITIVE_INFINITY): Promise<number> {
  let removed = 0;
  for await (const page of pagesOf(folder)) {
    const due = page.slice(0, most - removed);
    await inBatches(due, ({ Key, VersionId }) =>
      folder.client.send(new DeleteObjectCommand({ Bucket: folder.bucket, Key, VersionId })),
    );
    removed += due.length;
    if (removed >= most) break;
  }
  return removed;
}

/** A version of an object that can be read. */
export interface StoredVersion {
  key: string;
  versionId: string;
  /** Bytes. */
  size: number;
  /** When S3 stored it: ISO 8601 in UTC. */
  storedAt: string;
  isLatest: boolean;
}

/** Every version in the folder that can be read, in the order of S3: by key, newest first. */
export async function listVersions(folder: Folder): Promise<StoredVersion[]> {
  const versions: StoredVersion[] = [];
  for await (const page of pagesOf(folder, false)) {
    for (const { Key = '', VersionId = '', Size = 0, LastModified, IsLatest = false } of page as ListedVersion[]) {
      const storedAt = (LastModified ?? new Date(0)).toISOString();
      versions.push({ key: Key, versionId: VersionId, size: Size, storedAt, isLatest: IsLatest });
    }
  }
  return versions;
}

async function* pagesOf(
  { client, bucket, prefix, except }: Folder,
  withMarkers = true,
): AsyncGenerator<(Version | ListedVersion)[]> {
  let KeyMarker: string | undefined;
  let VersionIdMarker: string | undefined;
  do {
    const page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, KeyMarker, VersionIdMarker }),
    );
    const markers = withMarkers ? (page.DeleteMarkers ?? []) : [];
    yield [...(page.Versions ?? []), ...markers].filter(({ Key }) => Key !== except);
    KeyMarker = page.NextKeyMarker;
    VersionIdMarker = page.NextVersionIdMarker;
  } while (KeyMarker);
}
