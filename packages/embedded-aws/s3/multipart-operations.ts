import { createHash, randomUUID } from 'node:crypto';
import { readBody } from '../protocol/call.ts';
import { AwsError } from '../protocol/operation.ts';
import type { StoredBody } from './body-store.ts';
import type { MultipartUpload, NewVersion } from './bucket.ts';
import {
  announcedAlgorithm,
  type Checksum,
  checksumElements,
  checksumHeaders,
  compositeChecksum,
} from './checksums.ts';
import { maxKeys } from './list-operations.ts';
import { type S3Context, versionHeader } from './object-operations.ts';
import { checkWrite } from './preconditions.ts';
import { header, type S3Call } from './request.ts';
import { noSuchUpload } from './s3-error.ts';
import { storedHeaders } from './stored-headers.ts';
import { isoTime, listOf, parseXml, sendS3Xml } from './xml.ts';

const SMALLEST_PART = 5 * 1024 * 1024;

export function createMultipartUpload(context: S3Context, call: S3Call): void {
  const { bucket, key, request, response } = call;
  const uploadId = randomUUID().replaceAll('-', '');
  const checksumType = header(request, 'x-amz-checksum-type') === 'FULL_OBJECT' ? 'FULL_OBJECT' : 'COMPOSITE';
  const algorithm = header(request, 'x-amz-checksum-algorithm');
  bucket.uploads.set(uploadId, {
    uploadId,
    key,
    headers: storedHeaders(request),
    checksumType,
    ...(algorithm && { algorithm }),
    initiated: context.clock.now(),
    parts: new Map(),
  });
  if (algorithm) response.setHeader('x-amz-checksum-algorithm', algorithm);
  sendS3Xml(response, 200, 'InitiateMultipartUploadResult', { Bucket: bucket.name, Key: key, UploadId: uploadId });
}

function uploadOf({ bucket, key, query }: S3Call): MultipartUpload {
  const upload = bucket.uploads.get(query.get('uploadId') ?? '');
  if (!upload || upload.key !== key) throw noSuchUpload();
  return upload;
}

export async function uploadPart(context: S3Context, call: S3Call): Promise<void> {
  const upload = uploadOf(call);
  const body = await context.bodies.receive(call.request);
  if (call.bucket.uploads.get(upload.uploadId) !== upload) {
    await context.bodies.discard([body]);
    throw noSuchUpload();
  }
  const number = partNumber(call);
  const replaced = upload.parts.get(number);
  upload.parts.set(number, { ...body, lastModified: context.clock.now() });
  if (replaced) await context.bodies.discard([replaced]);
  call.response.writeHead(200, { etag: `"${body.md5}"`, ...checksumHeaders(body.checksum) }).end();
}

function partNumber({ query }: S3Call): number {
  const number = Number(query.get('partNumber'));
  if (Number.isInteger(number) && number >= 1 && number <= 10_000) return number;
  throw new AwsError('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive');
}

export async function abortMultipartUpload(context: S3Context, call: S3Call): Promise<void> {
  const upload = uploadOf(call);
  call.bucket.uploads.delete(upload.uploadId);
  await context.bodies.discard([...upload.parts.values()]);
  call.response.writeHead(204).end();
}

/** As in S3, every page has a marker: the number of its last part, or 0. Only `IsTruncated` shows whether more parts follow. */
export function listParts(call: S3Call): void {
  const upload = uploadOf(call);
  const after = Number(call.query.get('part-number-marker') ?? 0);
  const left = [...upload.parts].filter(([number]) => number > after).sort(([one], [other]) => one - other);
  const page = left.slice(0, maxKeys(call, 'max-parts'));
  sendS3Xml(call.response, 200, 'ListPartsResult', {
    Bucket: call.bucket.name,
    Key: upload.key,
    UploadId: upload.uploadId,
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.[0] ?? 0,
    IsTruncated: String(page.length < left.length),
    Part: page.map(([number, part]) => ({
      PartNumber: number,
      LastModified: isoTime(part.lastModified),
      ETag: `"${part.md5}"`,
      Size: part.size,
      ...checksumElements(part.checksum),
    })),
  });
}

export function listMultipartUploads({ bucket, query, response }: S3Call): void {
  const prefix = query.get('prefix') ?? '';
  const meant = [...bucket.uploads.values()].filter(({ key }) => key.startsWith(prefix));
  // The sort is stable, so uploads of one key stay in the order in which they began.
  const sorted = meant.sort((one, other) => Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
  const Upload = sorted.map((upload) => ({
    Key: upload.key,
    UploadId: upload.uploadId,
    Initiated: isoTime(upload.initiated),
    ...(upload.algorithm && { ChecksumAlgorithm: upload.algorithm, ChecksumType: upload.checksumType }),
  }));
  sendS3Xml(response, 200, 'ListMultipartUploadsResult', {
    Bucket: bucket.name,
    Prefix: prefix,
    IsTruncated: 'false',
    Upload,
  });
}

export async function completeMultipartUpload(context: S3Context, call: S3Call): Promise<void> {
  const { bucket, key, request, response } = call;
  const body = parseXml(await readBody(request), 'CompleteMultipartUpload');
  const upload = uploadOf(call);
  checkWrite(request, bucket.current(key));
  const parts = chosenParts(upload, listOf(body.Part));
  const checksum = wholeChecksum(call, upload, parts);
  const md5OfParts = createHash('md5').update(Buffer.concat(parts.map((part) => Buffer.from(part.md5, 'hex'))));
  const etag = `${md5OfParts.digest('hex')}-${parts.length}`;
  bucket.uploads.delete(upload.uploadId);
  const unused = [...upload.parts.values()].filter((part) => !parts.includes(part));
  const whole: NewVersion = {
    key,
    etag,
    headers: upload.headers,
    lastModified: context.clock.now(),
    size: parts.reduce((sum, part) => sum + part.size, 0),
    segments: parts.map(({ content, size }) => ({ content, size })),
  };
  const version = await bucket.add({ ...whole, ...(checksum ? { checksum } : {}) });
  await context.bodies.discard(unused);
  context.notifier(call, version, 'CompleteMultipartUpload');
  for (const [name, value] of Object.entries(versionHeader(bucket, version))) response.setHeader(name, value);
  const Location = `http://${request.headers.host}/${bucket.name}/${encodeURI(key)}`;
  const answer = { Location, Bucket: bucket.name, Key: key, ETag: `"${etag}"`, ...checksumElements(checksum) };
  sendS3Xml(response, 200, 'CompleteMultipartUploadResult', answer);
}

function chosenParts(upload: MultipartUpload, listed: Record<string, string>[]): StoredBody[] {
  if (listed.length === 0) throw new AwsError('MalformedXML', 'A multipart upload needs at least one part.');
  const numbers = listed.map((element) => Number(element.PartNumber));
  if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0))) {
    throw new AwsError('InvalidPartOrder', 'The list of parts was not in ascending order.');
  }
  return listed.map((element, index) => {
    const number = Number(element.PartNumber);
    const part = upload.parts.get(number);
    if (!part || part.md5 !== String(element.ETag).replaceAll('"', '')) {
      throw new AwsError('InvalidPart', `Part ${number} could not be found, or its ETag does not match.`);
    }
    if (part.size < SMALLEST_PART && index < listed.length - 1) {
      throw new AwsError('EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size');
    }
    return part;
  });
}

function wholeChecksum(call: S3Call, upload: MultipartUpload, parts: StoredBody[]): Checksum | undefined {
  if (upload.checksumType === 'COMPOSITE') return compositeChecksum(parts.map((part) => part.checksum));
  const algorithm = announcedAlgorithm(call.request.headers);
  const value = header(call.request, `x-amz-checksum-${algorithm}`);
  return algorithm && value ? { algorithm, value, type: 'FULL_OBJECT' } : undefined;
}
