import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../time/clock.ts';
import type { BodyStore } from './body-store.ts';
import type { Bucket, NewVersion, ObjectVersion } from './bucket.ts';
import { checksumElements, checksumHeaders } from './checksums.ts';
import type { ObjectNotifier } from './notifications.ts';
import { checkWrite, isNotModified } from './preconditions.ts';
import { type ByteRange, parseRange } from './range.ts';
import { decode, header, type S3Call } from './request.ts';
import { noSuchBucket, noSuchKey, noSuchVersion, preconditionFailed, S3Error } from './s3-error.ts';
import { storedHeaders } from './stored-headers.ts';
import { isoTime, sendXml } from './xml.ts';

/** Shared by the operations. */
export interface S3Context {
  buckets: Map<string, Bucket>;
  bodies: BodyStore;
  clock: Clock;
  notifier: ObjectNotifier;
}

export async function putObject(context: S3Context, call: S3Call): Promise<void> {
  const { bucket, key, request, response } = call;
  const headers = storedHeaders(request);
  checkWrite(request, bucket.current(key));
  const { md5, checksum, content, size } = await context.bodies.receive(request, context.clock);
  // Checks again: another writer may have been faster while the body arrived.
  await conditional(context, [{ content, size }], () => checkWrite(request, bucket.current(key)));
  const version = await bucket.add({
    key,
    size,
    headers,
    etag: md5,
    lastModified: context.clock.now(),
    segments: [{ content, size }],
    ...(checksum ? { checksum } : {}),
  });
  context.notifier.created(call, version, 'PutObject');
  response.writeHead(200, { etag: `"${md5}"`, ...versionHeader(bucket, version), ...checksumHeaders(checksum) }).end();
}

async function conditional(context: S3Context, segments: NewVersion['segments'], check: () => void): Promise<void> {
  try {
    check();
  } catch (error) {
    await context.bodies.discard(segments);
    throw error;
  }
}

export async function getObject(context: S3Context, call: S3Call): Promise<void> {
  const { request, response } = call;
  const version = readable(call);
  if (isNotModified(request, version)) {
    response.writeHead(304, { etag: `"${version.etag}"`, ...versionHeader(call.bucket, version) }).end();
    return;
  }
  const range = parseRange(header(request, 'range'), version.size);
  response.writeHead(range ? 206 : 200, objectHeaders(call, version, range));
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: version.size - 1 };
  await pipeline(Readable.from(context.bodies.read(version.segments, start, end)), response);
}

/** The version to read. Throws an S3Error if there is none, or for a delete marker, whose headers it sets first. */
function readable({ bucket, key, query, response }: S3Call): ObjectVersion {
  const versionId = query.get('versionId') ?? undefined;
  const version = bucket.find(key, versionId);
  if (!version) throw versionId === undefined ? noSuchKey() : noSuchVersion();
  if (!version.isDeleteMarker) return version;
  response.setHeader('x-amz-delete-marker', 'true');
  response.setHeader('x-amz-version-id', version.versionId);
  if (versionId === undefined) throw noSuchKey();
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405);
}

const RESPONSE_OVERRIDES = [
  'content-type',
  'content-language',
  'expires',
  'cache-control',
  'content-disposition',
  'content-encoding',
];

function objectHeaders(call: S3Call, version: ObjectVersion, range: ByteRange | undefined): Record<string, string> {
  const wantsChecksum = header(call.request, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' && !range;
  const overrides: Record<string, string> = {};
  for (const name of RESPONSE_OVERRIDES) {
    const value = call.query.get(`response-${name}`);
    if (value !== null) overrides[name] = value;
  }
  return {
    ...version.headers,
    ...overrides,
    etag: `"${version.etag}"`,
    'accept-ranges': 'bytes',
    'last-modified': new Date(version.lastModified).toUTCString(),
    'content-length': String(range ? range.end - range.start + 1 : version.size),
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${version.size}` } : {}),
    ...(wantsChecksum ? checksumHeaders(version.checksum) : {}),
    ...versionHeader(call.bucket, version),
  };
}

export function versionHeader(bucket: Bucket, version: ObjectVersion): Record<string, string> {
  return bucket.isVersioned ? { 'x-amz-version-id': version.versionId } : {};
}

export async function copyObject(context: S3Context, call: S3Call): Promise<void> {
  const { bucket, key, request, response } = call;
  const source = copySource(context, call);
  const replaces = header(request, 'x-amz-metadata-directive') === 'REPLACE';
  const headers = replaces ? storedHeaders(request) : source.headers;
  checkWrite(request, bucket.current(key));
  const bytes = context.bodies.read(source.segments, 0, source.size - 1);
  const { content, size, md5 } = await context.bodies.store(Readable.from(bytes));
  await conditional(context, [{ content, size }], () => checkWrite(request, bucket.current(key)));
  // A checksum of parts is not valid for the copy, which has no parts.
  const checksum = source.checksum?.type === 'FULL_OBJECT' ? source.checksum : undefined;
  const version = await bucket.add({
    key,
    size,
    headers,
    etag: md5,
    segments: [{ content, size }],
    lastModified: context.clock.now(),
    ...(checksum ? { checksum } : {}),
  });
  context.notifier.created(call, version, 'CopyObject');
  for (const [name, value] of Object.entries(versionHeader(bucket, version))) response.setHeader(name, value);
  const answer = { LastModified: isoTime(version.lastModified), ETag: `"${md5}"`, ...checksumElements(checksum) };
  sendXml(response, 200, 'CopyObjectResult', answer);
}

/** The version that `x-amz-copy-source` names. Throws an S3Error, also if a condition on the source fails. */
export function copySource(context: S3Context, { request }: S3Call): ObjectVersion {
  const raw = header(request, 'x-amz-copy-source') ?? '';
  const mark = raw.indexOf('?versionId=');
  const path = decode(mark === -1 ? raw : raw.slice(0, mark)).replace(/^\//, '');
  const versionId = mark === -1 ? undefined : decode(raw.slice(mark + '?versionId='.length));
  const slash = path.indexOf('/');
  const key = path.slice(slash + 1);
  const bucket = context.buckets.get(path.slice(0, Math.max(slash, 0)));
  if (!bucket) throw noSuchBucket();
  const version = versionId === undefined ? bucket.current(key) : bucket.find(key, versionId);
  if (!version) throw versionId === undefined ? noSuchKey() : noSuchVersion();
  if (version.isDeleteMarker) throw new S3Error('InvalidRequest', 'The source of a copy must not be a delete marker.');
  if (isNotModified(request, version, 'x-amz-copy-source-')) throw preconditionFailed();
  return version;
}
