import { type ObjectVersion, sequencerOf } from './bucket.ts';
import { type Entry, isPrefix, maxKeys, nameOf, type Page, paginate } from './listing.ts';
import type { S3Call } from './request.ts';
import { S3Error } from './s3-error.ts';
import { isoTime, sendXml } from './xml.ts';

/** Percent-encodes keys if the client asks for it, because some characters are not allowed in XML. */
function encoder({ query }: S3Call): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === null) return (text) => text;
  if (type !== 'url') throw new S3Error('InvalidArgument', 'Invalid Encoding Method specified in Request');
  return (text) => encodeURIComponent(text).replaceAll('%2F', '/');
}

function common(call: S3Call, encode: (text: string) => string): Record<string, string | number> {
  const { query } = call;
  return {
    Name: call.bucket.name,
    Prefix: encode(query.get('prefix') ?? ''),
    ...(query.has('delimiter') ? { Delimiter: encode(query.get('delimiter') ?? '') } : {}),
    ...(query.has('encoding-type') ? { EncodingType: 'url' } : {}),
    MaxKeys: maxKeys(call),
  };
}

/** A continuation token is the encoded key or prefix after which the next page starts. */
const toToken = (key: string) => Buffer.from(key).toString('base64url');
function fromToken(token: string): string {
  const key = Buffer.from(token, 'base64url').toString();
  if (toToken(key) === token) return key;
  throw new S3Error('InvalidArgument', 'The continuation token provided is incorrect');
}

function currentPage({ bucket, query }: S3Call, after: string, limit: number): Page {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const current = bucket.keysUnder(prefix).flatMap((key) => bucket.current(key) ?? []);
  return paginate(current, { prefix, delimiter, after, limit });
}

function contents(entries: Entry[], encode: (text: string) => string): object[] {
  return entries.flatMap((entry) => (isPrefix(entry) ? [] : [{ Key: encode(entry.key), ...facts(entry) }]));
}

function facts({ lastModified, etag, size }: ObjectVersion) {
  return { LastModified: isoTime(lastModified), ETag: `"${etag}"`, Size: size, StorageClass: 'STANDARD' };
}

function commonPrefixes(entries: Entry[], encode: (text: string) => string): object[] {
  return entries.flatMap((entry) => (isPrefix(entry) ? [{ Prefix: encode(entry.prefix) }] : []));
}

export function listObjectsV2(call: S3Call): void {
  const encode = encoder(call);
  const token = call.query.get('continuation-token');
  const startAfter = call.query.get('start-after') ?? '';
  const { entries, next } = currentPage(call, token === null ? startAfter : fromToken(token), maxKeys(call));
  sendXml(call.response, 200, 'ListBucketResult', {
    ...common(call, encode),
    KeyCount: entries.length,
    IsTruncated: String(next !== undefined),
    ...(token === null ? {} : { ContinuationToken: token }),
    ...(startAfter ? { StartAfter: encode(startAfter) } : {}),
    ...(next === undefined ? {} : { NextContinuationToken: toToken(nameOf(next)) }),
    Contents: contents(entries, encode),
    CommonPrefixes: commonPrefixes(entries, encode),
  });
}

/** Lists versions and delete markers: of each key, the newest first. */
export function listObjectVersions(call: S3Call): void {
  const { bucket, query } = call;
  const encode = encoder(call);
  const after = query.get('key-marker') ?? '';
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const all = bucket.keysUnder(prefix).flatMap((key) => bucket.versionsOf(key));
  const { entries, next } = paginate(all, {
    prefix,
    delimiter,
    after,
    olderThan: olderThan(call),
    limit: maxKeys(call),
  });
  const versions = entries.flatMap((entry) => (isPrefix(entry) ? [] : [entry]));
  const describe = (version: ObjectVersion) => ({
    Key: encode(version.key),
    VersionId: version.versionId,
    IsLatest: String(bucket.find(version.key) === version),
    LastModified: isoTime(version.lastModified),
  });
  sendXml(call.response, 200, 'ListVersionsResult', {
    ...common(call, encode),
    KeyMarker: encode(after),
    VersionIdMarker: query.get('version-id-marker') ?? '',
    IsTruncated: String(next !== undefined),
    ...(next && { NextKeyMarker: encode(nameOf(next)) }),
    ...(next && !isPrefix(next) && { NextVersionIdMarker: next.versionId }),
    Version: versions
      .filter((version) => !version.isDeleteMarker)
      .map((version) => ({ ...describe(version), ...facts(version) })),
    DeleteMarker: versions.filter((version) => version.isDeleteMarker).map(describe),
    CommonPrefixes: commonPrefixes(entries, encode),
  });
}

/** The sequencer of the version after which the page starts. The version may have been removed since the page before. */
function olderThan({ query }: S3Call): string | undefined {
  const marker = query.get('version-id-marker');
  if (marker === null) return undefined;
  if (marker === '') throw new S3Error('InvalidArgument', 'A version-id marker cannot be empty.');
  if (!query.has('key-marker')) {
    throw new S3Error('InvalidArgument', 'A version-id marker cannot be specified without a key marker.');
  }
  return sequencerOf(marker);
}
