import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { InvalidPackage } from '../errors.ts';
import { fileClientDefaults, withoutLog } from './aws-client.ts';

export interface ObjectVersion {
  bucket: string;
  key: string;
  /** The current version if absent. */
  versionId?: string;
}

export interface ObjectFacts {
  versionId: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

const clients = new Map<string, S3Client>();

/**
 * The client for one bucket. Buckets have different endpoints, and concurrent calls of one client share the endpoint in the
 * cached middleware. So each bucket needs its own client.
 */
export function clientOf(bucket: string): S3Client {
  const existing = clients.get(bucket);
  if (existing) return existing;
  // S3 checks the length, and TLS the bytes.
  const client = withoutLog(new S3Client({ ...fileClientDefaults, requestChecksumCalculation: 'WHEN_REQUIRED' }));
  clients.set(bucket, client);
  return client;
}

/** Version, size and content type of an object; undefined if it does not exist. */
export async function headObject(object: ObjectVersion): Promise<ObjectFacts | undefined> {
  try {
    const head = await clientOf(object.bucket).send(new HeadObjectCommand(parameters(object)));
    return {
      versionId: head.VersionId ?? '',
      size: head.ContentLength ?? 0,
      contentType: head.ContentType ?? 'application/octet-stream',
    };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}

export interface BoundedObject {
  /** Undefined if the object is larger than the limit. */
  bytes: Uint8Array | undefined;
  versionId: string;
  etag: string;
  /** Bytes. */
  size: number;
  /** When S3 stored this version, to the second. ISO 8601. */
  storedAt: string;
}

/** Reads a whole object into memory; undefined if it does not exist. For small files only. */
export const readObject = (object: ObjectVersion) =>
  readObjectUpTo(Number.POSITIVE_INFINITY, object) as Promise<(BoundedObject & { bytes: Uint8Array }) | undefined>;

/** Like {@link readObject}, but does not read an object of more than `limit` bytes: a partner may upload a file of any size. */
export async function readObjectUpTo(limit: number, object: ObjectVersion): Promise<BoundedObject | undefined> {
  try {
    const answer = await clientOf(object.bucket).send(new GetObjectCommand(parameters(object)));
    if (!answer.Body) throw new Error(`S3 returned an object of ${object.bucket} without a body.`);
    const storedAt = (answer.LastModified ?? new Date()).toISOString();
    const { VersionId: versionId = '', ETag: etag = '', ContentLength: size = 0 } = answer;
    const bytes = size <= limit ? await answer.Body.transformToByteArray() : undefined;
    if (!bytes) (answer.Body as Readable).destroy();
    return { bytes, versionId, etag, size, storedAt };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** @throws InvalidPackage if the object does not exist. */
export async function openObject(object: ObjectVersion): Promise<Readable> {
  try {
    return (await clientOf(object.bucket).send(new GetObjectCommand(parameters(object)))).Body as Readable;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new InvalidPackage(
      'A file that the order needs is gone from its bucket, or the version that was accepted is. Nothing was sent.',
      { cause: error },
    );
  }
}

/** The SDK has an error class for a missing key, but none for a missing version. */
const isMissing = (error: unknown): boolean => error instanceof NoSuchKey || (error as Error).name === 'NoSuchVersion';

/** Lists every object under `prefix`. Sizes are in bytes. */
export async function listObjects(bucket: string, prefix: string): Promise<{ key: string; size: number }[]> {
  const objects: { key: string; size: number }[] = [];
  const pages = paginateListObjectsV2({ client: clientOf(bucket) }, { Bucket: bucket, Prefix: prefix });
  for await (const { Contents = [] } of pages)
    objects.push(...Contents.map(({ Key = '', Size = 0 }) => ({ key: Key, size: Size })));
  return objects;
}

/** Writes a small object and returns its version. */
export async function writeObject(
  bucket: string,
  key: string,
  content: string | Uint8Array,
  contentType = 'application/json',
): Promise<string> {
  const answer = await clientOf(bucket).send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body: content, ContentType: contentType }),
  );
  return answer.VersionId ?? '';
}

/** S3's errors for a conditional write whose condition is false, and for one that conflicts with another write. */
export const NOT_MET = ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'];

/** Writes if the current object has this ETag, or if there is none. Returns the new ETag; undefined if it was not written. */
export async function writeObjectIf(
  { bucket, key }: ObjectVersion,
  content: string,
  etag: string | undefined,
): Promise<string | undefined> {
  const condition = etag === undefined ? { IfNoneMatch: '*' } : { IfMatch: etag };
  const object = { Bucket: bucket, Key: key, Body: content, ContentType: 'application/json' };
  try {
    return (await clientOf(bucket).send(new PutObjectCommand({ ...object, ...condition }))).ETag ?? '';
  } catch (error) {
    if (NOT_MET.includes((error as Error).name)) return undefined;
    throw error;
  }
}

/** Deletes the current version. A versioned bucket keeps the older ones. */
export async function removeObject(bucket: string, key: string): Promise<void> {
  await clientOf(bucket).send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
}

function parameters(object: ObjectVersion) {
  return { Bucket: object.bucket, Key: object.key, ...(object.versionId && { VersionId: object.versionId }) };
}
