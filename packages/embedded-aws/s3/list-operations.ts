import { AwsError } from '../protocol/operation.ts';
import { type ObjectVersion, sequencerOf } from './bucket.ts';
import type { S3Call } from './request.ts';
import { isoTime, sendXml } from './xml.ts';

/** Percent-encodes keys if the client asks for it, because some characters are not allowed in XML. */
function encoder({ query }: S3Call): (text: string) => string {
  const type = query.get('encoding-type');
  if (type === null) return (text) => text;
  if (type !== 'url') throw new AwsError('InvalidArgument', 'Invalid Encoding Method specified in Request');
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
  throw new AwsError('InvalidArgument', 'The continuation token provided is incorrect');
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

/** Lists versions and delete markers, the newest of each key first. */
export function listObjectVersions(call: S3Call): void {
  const { bucket, query } = call;
  const encode = encoder(call);
  const after = query.get('key-marker') ?? '';
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? ''];
  const all = bucket.keysUnder(prefix).flatMap((key) => bucket.versionsOf(key));
  const from = { after, olderThan: olderThan(call) };
  const { entries, next } = paginate(all, { prefix, delimiter, ...from, limit: maxKeys(call) });
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
  if (marker === '') throw new AwsError('InvalidArgument', 'A version-id marker cannot be empty.');
  if (!query.has('key-marker')) {
    throw new AwsError('InvalidArgument', 'A version-id marker cannot be specified without a key marker.');
  }
  return sequencerOf(marker);
}

/** An entry of a listing: a version of an object, or a common prefix that stands for many keys. */
type Entry = ObjectVersion | { prefix: string };

interface Page {
  entries: Entry[];
  /** The last entry of this page, if more follow. */
  next?: Entry;
}

const MAX_KEYS = 1000;

/** `max-keys` of a request, or another limit of a page; at most 1000. */
export function maxKeys(call: S3Call, name = 'max-keys'): number {
  const value = call.query.get(name);
  if (value === null) return MAX_KEYS;
  if (!/^\d+$/.test(value)) throw new AwsError('InvalidArgument', `${name} is ${value}, which is not a number.`);
  return Math.min(Number(value), MAX_KEYS);
}

const isPrefix = (entry: Entry): entry is { prefix: string } => 'prefix' in entry;

/** The name by which an entry is sorted. */
const nameOf = (entry: Entry): string => (isPrefix(entry) ? entry.prefix : entry.key);

/**
 * Groups sorted versions whose keys start with the prefix, as S3 lists them. Keys with the delimiter after the prefix become one
 * common prefix. A page has at most `limit` entries, which sort after `after` (a key or a common prefix), or are versions of that key
 * that are older than the one with the sequencer `olderThan`.
 */
function paginate(
  versions: Iterable<ObjectVersion>,
  options: { prefix: string; delimiter: string; after: string; olderThan?: string | undefined; limit: number },
): Page {
  const { prefix, delimiter, after, olderThan, limit } = options;
  const entries: Entry[] = [];
  for (const version of versions) {
    const rolledUp = rollUp(version.key, prefix, delimiter);
    const entry = rolledUp === undefined ? version : { prefix: rolledUp };
    const last = entries.at(-1);
    if (rolledUp !== undefined && last !== undefined && nameOf(last) === rolledUp) continue;
    const isOlder = nameOf(entry) === after && olderThan !== undefined && version.sequencer < olderThan;
    if (!isOlder && isNotAfter(nameOf(entry), after)) continue;
    if (entries.length >= limit) return last === undefined ? { entries } : { entries, next: last };
    entries.push(entry);
  }
  return { entries };
}

function rollUp(key: string, prefix: string, delimiter: string): string | undefined {
  if (delimiter === '') return undefined;
  const end = key.indexOf(delimiter, prefix.length);
  return end === -1 ? undefined : key.slice(0, end + delimiter.length);
}

function isNotAfter(name: string, after: string): boolean {
  return after !== '' && Buffer.compare(Buffer.from(name), Buffer.from(after)) <= 0;
}
