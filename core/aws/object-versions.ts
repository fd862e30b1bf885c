import {
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsOutput,
  type ObjectVersion,
  type S3Client,
} from '@aws-sdk/client-s3';
import { inBatches } from '../in-batches.ts';

/** The objects of a bucket whose keys begin with `prefix`. */
export interface Folder {
  client: S3Client;
  bucket: string;
  prefix: string;
  /** The key of an object to keep. */
  except?: string;
}

/** How many versions the folder has, delete markers included. */
export async function countVersions(folder: Folder): Promise<number> {
  let count = 0;
  for await (const page of pagesOf(folder)) count += page.length;
  return count;
}

/** Permanently deletes at most `most` versions, delete markers included. Returns how many were deleted. */
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

async function* pagesOf(folder: Folder): AsyncGenerator<ObjectVersion[]> {
  for await (const { Versions = [], DeleteMarkers = [] } of listVersions(folder))
    yield [...Versions, ...DeleteMarkers].filter(({ Key }) => Key !== folder.except);
}

/** The pages of S3's list, in its order: by key, newest first. They contain all objects, `except` included. */
export async function* listVersions({ client, bucket, prefix }: Folder): AsyncGenerator<ListObjectVersionsOutput> {
  let KeyMarker: string | undefined;
  let VersionIdMarker: string | undefined;
  do {
    const page = await client.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix, KeyMarker, VersionIdMarker }),
    );
    yield page;
    KeyMarker = page.NextKeyMarker;
    VersionIdMarker = page.NextVersionIdMarker;
  } while (KeyMarker);
}
