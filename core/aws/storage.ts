import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { InvalidPackage } from '../errors.ts';
import { inWords, type Unreadable } from '../messages/english.ts';
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

/** An object, and why its bytes cannot be read, as far as that is known. */
export interface FoundObject extends ObjectFacts {
  unreadable?: Unreadable;
  kmsKey?: string | undefined;
}

/**
 * The errors of a read that no repeat heals (API reference of S3, "GetObject"; user guide, "Using server-side encryption with
 * customer-provided keys"). Those that begin with `KMS.` are of a key that is disabled, due to be deleted, or deleted.
 */
const UNREADABLE: Record<string, Unreadable> = {
  InvalidObjectState: 'archived',
  InvalidRequest: 'ownKey',
  'KMS.DisabledException': 'otherKey',
  'KMS.KMSInvalidStateException': 'otherKey',
  'KMS.NotFoundException': 'otherKey',
};

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

/** Version, size and content type of an object; undefined if it does not exist. To us, one under the uploader's own key has only `unreadable`. */
export async function headObject(object: ObjectVersion): Promise<FoundObject | undefined> {
  try {
    const head = await clientOf(object.bucket).send(new HeadObjectCommand(parameters(object)));
    const { VersionId: versionId = '', ContentLength: size = 0, ContentType: contentType = '' } = head;
    // A restored copy can be read.
    const isArchived = head.ArchiveStatus ?? /^(GLACIER|DEEP_ARCHIVE)$/.test(head.StorageClass ?? '');
    const unreadable = isArchived && !head.Restore?.includes('ongoing-request="false"') && 'archived';
    return { versionId, size, contentType, kmsKey: head.SSEKMSKeyId, ...(unreadable && { unreadable }) };
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    // The answer to a HEAD has no code.
    const isBad = (error as Partial<S3ServiceException>).$metadata?.httpStatusCode === 400;
    const unreadable = isBad && (await whyNoByte(object));
    if (unreadable) return { versionId: '', size: 0, contentType: '', unreadable };
    throw error;
  }
}

/** The same. Reads one byte under any other KMS key than `usedKey`: only that shows whether the key may be used. */
export async function findReadable(object: ObjectVersion, usedKey?: string): Promise<FoundObject | undefined> {
  const found = await headObject(object);
  const isClear = !found?.kmsKey || found.kmsKey === usedKey || found.unreadable || found.size === 0;
  const unreadable = isClear ? undefined : await whyNoByte(object);
  return found && { ...found, ...(unreadable && { unreadable }) };
}

/** Why one byte cannot be read; undefined if it can. */
const whyNoByte = async (object: ObjectVersion): Promise<Unreadable | undefined> =>
  (await readObjectUpTo(1, object, 'bytes=0-0'))?.unreadable;

/** Why a read that failed will always fail, and the version if S3 says it; undefined if it may succeed later. */
async function whyUnreadable(error: unknown, object: ObjectVersion) {
  const { name } = error as Error;
  if (name !== 'AccessDenied' && !UNREADABLE[name]) return undefined;
  // A HEAD needs the same right as the read, but not the key.
  const asked = clientOf(object.bucket).send(new HeadObjectCommand(parameters(object)));
  const head: Partial<HeadObjectCommandOutput> = await asked.catch(() => ({}));
  const unreadable = UNREADABLE[name] ?? (head.SSEKMSKeyId === undefined ? undefined : 'otherKey');
  return unreadable && { unreadable, versionId: head.VersionId ?? '' };
}

export interface BoundedObject extends Pick<FoundObject, 'unreadable' | 'kmsKey'> {
  /** Undefined if the object is larger than the limit, or unreadable. */
  bytes: Uint8Array | undefined;
  versionId: string;
  etag: string;
  /** Bytes. */
  size: number;
  /** When S3 stored this version, to the second. ISO 8601. */
  storedAt: string;
}

/** Reads a whole object into memory; undefined if it does not exist. For small files only. @throws InvalidPackage if it is unreadable. */
export async function readObject(object: ObjectVersion): Promise<(BoundedObject & { bytes: Uint8Array }) | undefined> {
  const found = await readObjectUpTo(Number.POSITIVE_INFINITY, object);
  if (found?.unreadable) throw unreadableFile(object, found.unreadable);
  return found as (BoundedObject & { bytes: Uint8Array }) | undefined;
}

/** Does not name the file, which may be personal. */
function unreadableFile({ key }: ObjectVersion, why: Unreadable, cause?: unknown): InvalidPackage {
  const name = key.endsWith('/order.json') ? 'order.json' : 'A file that the order needs';
  return new InvalidPackage(`${inWords('unreadable', { name, why }).problem} Nothing was sent.`, { cause });
}

/** Like {@link readObject}, but does not read an object of more than `limit` bytes: a partner may upload a file of any size. */
export async function readObjectUpTo(
  limit: number,
  object: ObjectVersion,
  Range?: string,
): Promise<BoundedObject | undefined> {
  try {
    const answer = await clientOf(object.bucket).send(new GetObjectCommand({ ...parameters(object), Range }));
    if (!answer.Body) throw new Error(`S3 returned an object of ${object.bucket} without a body.`);
    const storedAt = (answer.LastModified ?? new Date()).toISOString();
    const { VersionId: versionId = '', ETag: etag = '', ContentLength: size = 0, SSEKMSKeyId: kmsKey } = answer;
    const bytes = size <= limit ? await answer.Body.transformToByteArray() : undefined;
    if (!bytes) (answer.Body as Readable).destroy();
    return { bytes, versionId, etag, size, storedAt, kmsKey };
  } catch (error) {
    if (isMissing(error)) return undefined;
    const found = await whyUnreadable(error, object);
    if (!found) throw error;
    return { bytes: undefined, etag: '', size: 0, storedAt: new Date().toISOString(), ...found };
  }
}

/** @throws InvalidPackage if the object does not exist, or is unreadable. */
export async function openObject(object: ObjectVersion): Promise<Readable> {
  try {
    return (await clientOf(object.bucket).send(new GetObjectCommand(parameters(object)))).Body as Readable;
  } catch (error) {
    const found = await whyUnreadable(error, object);
    if (found) throw unreadableFile(object, found.unreadable, error);
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
