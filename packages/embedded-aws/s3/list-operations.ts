import { AwsError } from '../protocol/operation.ts';
import { type ObjectVersion, sequencerOf } from './bucket.ts';
import type { S3Call } from './request.ts';
import { notImplemented } from './s3-error.ts';
import { isoTime, sendS3Xml } from './xml.ts';

/** Percent-encodes keys if the request has `encoding-type`, because some characters are not allowed in XML. */
function encoder({ query }: S3Call): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === null) return (text) => text;
  if (type !== 'url') throw new AwsError('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
}

function common(call: S3Call, encode: (text: string) => string): Record<string, string | number> {
  const { query } = call;
  if (query.get('delimiter')) throw notImplemented('a delimiter');
  return {
    Name: call.bucket.name,
    Prefix: encode(query.get('prefix') ?? ''),
    ...(query.has('encoding-type') ? { EncodingType: 'url' } : {}),
    MaxKeys: maxKeys(call),
  };
}

/** A continuation token is the encoded last key of the page. */
const toToken = (key: string) => Buffer.from(key).toString('base64url');
function fromToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (toToken(key) === token) return key;
  throw new AwsError('InvalidArgument', 'The continuation token provided is incorrect');
}

function facts({ lastModified, etag, size, headers }: ObjectVersion) {
  const StorageClass = headers['x-amz-storage-class'] ?? 'STANDARD';
  return { LastModified: isoTime(lastModified), ETag: `"${etag}"`, Size: size, StorageClass };
}

export function listObjectsV2(call: S3Call): void {
  const encode = encoder(call);
  const token = call.query.get('continuation-token');
  const startAfter = call.query.get('start-after') ?? '';
  const current = call.bucket
    .keysUnder(call.query.get('prefix') ?? '')
    .flatMap((key) => call.bucket.current(key) ?? []);
  const { entries, next } = paginate(current, token === null ? startAfter : fromToken(token), maxKeys(call));
  sendS3Xml(call.response, 200, 'ListBucketResult', {
    ...common(call, encode),
    KeyCount: entries.length,
    IsTruncated: String(next !== undefined),
    ...(token === null ? {} : { ContinuationToken: token }),
    ...(startAfter ? { StartAfter: encode(startAfter) } : {}),
    ...(next === undefined ? {} : { NextContinuationToken: toToken(next.key) }),
    Contents: entries.map((entry) => ({ Key: encode(entry.key), ...facts(entry) })),
  });
}

export function listObjectVersions(call: S3Call): void {
  const { bucket, query } = call;
  const encode = encoder(call);
  const after = query.get('key-marker') ?? '';
  const all = bucket.keysUnder(query.get('prefix') ?? '').flatMap((key) => bucket.versionsOf(key));
  const { entries: versions, next } = paginate(all, after, maxKeys(call), olderThan(call));
  const describe = (version: ObjectVersion) => ({
    Key: encode(version.key),
    VersionId: version.versionId,
    IsLatest: String(bucket.find(version.key) === version),
    LastModified: isoTime(version.lastModified),
  });
  sendS3Xml(call.response, 200, 'ListVersionsResult', {
    ...common(call, encode),
    KeyMarker: encode(after),
    VersionIdMarker: query.get('version-id-marker') ?? '',
    IsTruncated: String(next !== undefined),
    ...(next && { NextKeyMarker: encode(next.key), NextVersionIdMarker: next.versionId }),
    Version: versions
      .filter((version) => !version.isDeleteMarker)
      .map((version) => ({ ...describe(version), ...facts(version) })),
    DeleteMarker: versions.filter((version) => version.isDeleteMarker).map(describe),
  });
}

/** The sequencer of the previous page's last version. The version may have been removed since. */
function olderThan({ query }: S3Call): string | undefined {
  const marker = query.get('version-id-marker');
  if (marker === null) return undefined;
  if (marker === '') throw new AwsError('InvalidArgument', 'A version-id marker cannot be empty.');
  if (!query.has('key-marker')) {
    throw new AwsError('InvalidArgument', 'A version-id marker cannot be specified without a key marker.');
  }
  return sequencerOf(marker);
}

const MAX_KEYS = 1000;

/** The page size, from `max-keys` or the query parameter `name`. At most 1000. */
export function maxKeys(call: S3Call, name = 'max-keys'): number {
  const value = call.query.get(name);
  if (value === null) return MAX_KEYS;
  if (!/^\d+$/.test(value)) throw new AwsError('InvalidArgument', `${name} is ${value}, which is not a number.`);
  return Math.min(Number(value), MAX_KEYS);
}

/**
 * A page of at most `limit` sorted versions. Their keys sort after `after`. With `olderThan`, the page also has the versions of `after`
 * with a smaller sequencer. `next` is the last entry of this page, if more follow.
 */
function paginate(versions: readonly ObjectVersion[], after: string, limit: number, olderThan?: string) {
  const left = versions.filter(({ key, sequencer }) => {
    if (key === after && olderThan !== undefined) return sequencer < olderThan;
    return after === '' || Buffer.compare(Buffer.from(key), Buffer.from(after)) > 0;
  });
  const entries = left.slice(0, limit);
  return { entries, next: entries.length < left.length ? entries.at(-1) : undefined };
}
