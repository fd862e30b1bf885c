import type { ObjectVersion } from './bucket.ts';
import { type Entry, maxKeys, type Page, paginate } from './listing.ts';
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
const fromToken = (token: string) => Buffer.from(token, 'base64url').toString();

function currentPage(call: S3Call, after: string): Page<ObjectVersion> {
  const { bucket, query } = call;
  const current = (key: string) => {
    const version = bucket.current(key);
    return version ? [version] : [];
  };
  // A key whose newest version is a delete marker must not create a common prefix either.
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const keys = bucket.keysUnder(prefix).filter((key) => bucket.current(key));
  return paginate(keys, current, { prefix, delimiter, after, limit: maxKeys(call) });
}

function contents(entries: Entry<ObjectVersion>[], encode: (text: string) => string): object[] {
  return entries.flatMap((entry) =>
    'prefix' in entry
      ? []
      : entry.items.map((version) => ({
          Key: encode(version.key),
          LastModified: isoTime(version.lastModified),
          ETag: `"${version.etag}"`,
          Size: version.size,
          StorageClass: 'STANDARD',
        })),
  );
}

function commonPrefixes(entries: Entry<unknown>[], encode: (text: string) => string): object[] {
  return entries.flatMap((entry) => ('prefix' in entry ? [{ Prefix: encode(entry.prefix) }] : []));
}

export function listObjectsV2(call: S3Call): void {
  const encode = encoder(call);
  const token = call.query.get('continuation-token');
  const startAfter = call.query.get('start-after') ?? '';
  const { entries, next } = currentPage(call, token === null ? startAfter : fromToken(token));
  sendXml(call.response, 200, 'ListBucketResult', {
    ...common(call, encode),
    KeyCount: entries.length,
    IsTruncated: String(next !== undefined),
    ...(token === null ? {} : { ContinuationToken: token }),
    ...(startAfter ? { StartAfter: encode(startAfter) } : {}),
    ...(next === undefined ? {} : { NextContinuationToken: toToken(next) }),
    Contents: contents(entries, encode),
    CommonPrefixes: commonPrefixes(entries, encode),
  });
}

/** Version 1 of the operation, which old clients still use. */
export function listObjects(call: S3Call): void {
  const encode = encoder(call);
  const marker = call.query.get('marker') ?? '';
  const { entries, next } = currentPage(call, marker);
  sendXml(call.response, 200, 'ListBucketResult', {
    ...common(call, encode),
    Marker: encode(marker),
    IsTruncated: String(next !== undefined),
    ...(next === undefined ? {} : { NextMarker: encode(next) }),
    Contents: contents(entries, encode),
    CommonPrefixes: commonPrefixes(entries, encode),
  });
}

/** Lists versions. A page never ends between two versions of a key. */
export function listObjectVersions(call: S3Call): void {
  const { bucket, query } = call;
  const encode = encoder(call);
  const marker = query.get('key-marker') ?? '';
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const options = { prefix, delimiter, after: marker, limit: maxKeys(call) };
  const { entries, next } = paginate(bucket.keysUnder(prefix), (key) => [...bucket.versionsOf(key)], options);
  const versions = entries.flatMap((entry) => ('prefix' in entry ? [] : entry.items));
  const describe = (version: ObjectVersion) => ({
    Key: encode(version.key),
    VersionId: version.versionId,
    IsLatest: String(bucket.find(version.key) === version),
    LastModified: isoTime(version.lastModified),
  });
  sendXml(call.response, 200, 'ListVersionsResult', {
    ...common(call, encode),
    KeyMarker: encode(marker),
    IsTruncated: String(next !== undefined),
    ...(next === undefined ? {} : { NextKeyMarker: encode(next) }),
    Version: versions
      .filter((version) => !version.isDeleteMarker)
      .map((version) => ({
        ...describe(version),
        ETag: `"${version.etag}"`,
        Size: version.size,
        StorageClass: 'STANDARD',
      })),
    DeleteMarker: versions.filter((version) => version.isDeleteMarker).map(describe),
    CommonPrefixes: commonPrefixes(entries, encode),
  });
}
