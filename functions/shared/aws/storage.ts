import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { InvalidPackage } from '../errors.ts';
import { fileClientDefaults, withoutLog } from './aws-client.ts';

/** One version of one object. */
export interface ObjectVersion {
  bucket: string;
  key: string;
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
 * The client of a bucket. Each has its own: kept middleware shares its endpoint between calls at the same moment, and S3 has an
 * endpoint for each bucket. Shared with `stream-object.ts`, which alone brings the library for uploads in parts.
 */
export function clientOf(bucket: string): S3Client {
  const known = clients.get(bucket);
  if (known) return known;
  // S3 checks MD5 and length; the SDK's own streamed checksum ends the process when its source breaks off.
  const client = withoutLog(new S3Client({ ...fileClientDefaults, requestChecksumCalculation: 'WHEN_REQUIRED' }));
  clients.set(bucket, client);
  return client;
}

/** Facts of an object's current (or named) version; undefined when it is not there. */
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

/** The whole object in memory with its version; undefined when it is not there. For small files only. */
export async function readObject(object: ObjectVersion): Promise<{ bytes: Uint8Array; versionId: string } | undefined> {
  const read = await readObjectUpTo(Number.POSITIVE_INFINITY, object);
  return read && { bytes: read.bytes as Uint8Array, versionId: read.versionId };
}

/** An object that was read unless it is too large. */
export interface BoundedObject {
  /** Absent where it has more bytes than were asked for. */
  bytes: Uint8Array | undefined;
  versionId: string;
  /** Bytes. */
  size: number;
}

/** The same, but of an object that has more than `limit` bytes only the facts: anybody may upload anything. */
export async function readObjectUpTo(limit: number, object: ObjectVersion): Promise<BoundedObject | undefined> {
  try {
    const answer = await clientOf(object.bucket).send(new GetObjectCommand(parameters(object)));
    if (!answer.Body) throw new Error(`s3://${object.bucket} gave an object without a body.`);
    const facts = { versionId: answer.VersionId ?? '', size: answer.ContentLength ?? 0 };
    if (facts.size <= limit) return { bytes: await answer.Body.transformToByteArray(), ...facts };
    (answer.Body as Readable).destroy();
    return { bytes: undefined, ...facts };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/**
 * The object as a stream; memory stays constant.
 * @throws InvalidPackage when it is not there.
 */
export async function openObject(object: ObjectVersion): Promise<Readable> {
  try {
    const answer = await clientOf(object.bucket).send(new GetObjectCommand(parameters(object)));
    return answer.Body as Readable;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new InvalidPackage(
      'A file that the order needs, in the very version that was accepted, is gone from its bucket. Nothing was sent.',
      { cause: error },
    );
  }
}

/** The SDK has a class for a missing key, but none for a missing version. */
function isMissing(error: unknown): boolean {
  return error instanceof NoSuchKey || (error as Error).name === 'NoSuchVersion';
}

/** Every object under `prefix`, key and size in bytes. */
export async function listObjects(bucket: string, prefix: string): Promise<{ key: string; size: number }[]> {
  const objects: { key: string; size: number }[] = [];
  let token: string | undefined;
  do {
    const page = await clientOf(bucket).send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) }),
    );
    for (const { Key, Size } of page.Contents ?? []) if (Key) objects.push({ key: Key, size: Size ?? 0 });
    token = page.NextContinuationToken;
  } while (token);
  return objects;
}

/** Writes a small object; answers its version. */
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

/** Deletes the current version (a versioned bucket keeps the older ones). */
export async function removeObject(bucket: string, key: string): Promise<void> {
  await clientOf(bucket).send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
}

function parameters(object: ObjectVersion) {
  return { Bucket: object.bucket, Key: object.key, ...(object.versionId && { VersionId: object.versionId }) };
}
