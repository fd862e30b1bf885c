import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AwsError } from '../protocol/operation.ts';
import type { Clock } from '../time/clock.ts';
import type { BodyStore } from './body-store.ts';
import type { Bucket, ObjectVersion } from './bucket.ts';
import { checksumHeaders } from './checksums.ts';
import type { ObjectNotifier } from './notifications.ts';
import { checkWrite, isNotModified } from './preconditions.ts';
import { header, type S3Call } from './request.ts';
import { noSuchKey, noSuchVersion, notImplemented } from './s3-error.ts';
import { storedHeaders } from './stored-headers.ts';

const CUSTOMER_KEY = 'x-amz-server-side-encryption-customer-key-md5';

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
  const { md5, checksum, content, size } = await context.bodies.receive(request);
  // Checks again, because the object may have changed while the body was received.
  try {
    checkWrite(request, bucket.current(key));
  } catch (error) {
    await context.bodies.discard([{ content, size }]);
    throw error;
  }
  const version = await bucket.add({
    key,
    size,
    headers,
    etag: md5,
    lastModified: context.clock.now(),
    segments: [{ content, size }],
    ...(checksum ? { checksum } : {}),
  });
  context.notifier(call, version, 'PutObject');
  response.writeHead(200, { etag: `"${md5}"`, ...versionHeader(bucket, version), ...checksumHeaders(checksum) }).end();
}

export async function getObject(context: S3Context, call: S3Call): Promise<void> {
  const { request, response } = call;
  const override = [...call.query.keys()].find((name) => name.startsWith('response-'));
  if (override !== undefined) throw notImplemented(`the parameter ${override}`);
  const version = readable(call);
  checkReadable(request, version);
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
  const [{ content } = {}, ...others] = version.segments;
  // A stream would double the time for a small body.
  if (Buffer.isBuffer(content) && others.length === 0) response.end(content.subarray(start, end + 1));
  else await pipeline(Readable.from(context.bodies.read(version.segments, start, end)), response);
}

/** The version to read. Throws an AwsError if there is none, or if it is a delete marker. For the latter, sets response headers first. */
function readable({ bucket, key, query, response }: S3Call): ObjectVersion {
  const versionId = query.get('versionId') ?? undefined;
  const version = bucket.find(key, versionId);
  if (!version) throw versionId === undefined ? noSuchKey() : noSuchVersion();
  if (!version.isDeleteMarker) return version;
  response.setHeader('x-amz-delete-marker', 'true');
  response.setHeader('x-amz-version-id', version.versionId);
  if (versionId === undefined) throw noSuchKey();
  throw new AwsError('MethodNotAllowed', 'The specified method is not allowed against this resource.', 405);
}

/** Throws an AwsError for an object under the customer's key, without it, and for the bytes of an archived one (GetObject). */
function checkReadable(request: IncomingMessage, { headers }: ObjectVersion): void {
  if (headers[CUSTOMER_KEY] !== header(request, CUSTOMER_KEY))
    throw new AwsError('InvalidRequest', 'The encryption parameters are not those that the object was stored with.');
  if (request.method !== 'GET' || !/^(GLACIER|DEEP_ARCHIVE)$/.test(headers['x-amz-storage-class'] ?? '')) return;
  throw new AwsError('InvalidObjectState', "The operation is not valid for the object's storage class", 403);
}

function objectHeaders(call: S3Call, version: ObjectVersion, range: ReturnType<typeof parseRange>) {
  const wantsChecksum = header(call.request, 'x-amz-checksum-mode')?.toUpperCase() === 'ENABLED' && !range;
  return {
    ...version.headers,
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

/**
 * Parses a Range header for a body of `size` bytes. `start` and `end` are inclusive. As in S3, values other than a single byte range are
 * ignored.
 * Throws an AwsError (InvalidRange, 416) if the range is outside the body.
 */
function parseRange(value: string | undefined, size: number) {
  const found = /^bytes=(\d*)-(\d*)$/.exec(value ?? '');
  if (!found || (found[1] === '' && found[2] === '')) return undefined;
  const [, first = '', last = ''] = found;
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start <= end) return { start, end };
  throw new AwsError('InvalidRange', 'The requested range is not satisfiable', 416);
}

/** Removes a version, or adds a delete marker. As in S3, it succeeds if the object does not exist. */
export async function deleteObject(context: S3Context, call: S3Call): Promise<void> {
  const { bucket, key, query, response } = call;
  const versionId = query.get('versionId') ?? undefined;
  const isMarked = versionId === undefined && bucket.isVersioned;
  const empty = { key, size: 0, etag: '', segments: [], headers: {}, lastModified: context.clock.now() };
  const changed = isMarked ? await bucket.add(empty, true) : bucket.find(key, versionId);
  if (changed && !isMarked) await bucket.remove(changed);
  response.writeHead(204, {
    ...(bucket.isVersioned && { 'x-amz-version-id': versionId ?? changed?.versionId }),
    ...(changed?.isDeleteMarker && { 'x-amz-delete-marker': 'true' }),
  });
  response.end();
}
