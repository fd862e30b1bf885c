import type { IncomingMessage } from 'node:http';
import { AwsError } from '../protocol/operation.ts';
import { header } from './request.ts';
import { notImplemented } from './s3-error.ts';

/** Headers that are stored with the object and returned by every read. */
const KEPT = [
  'content-type content-disposition content-language cache-control expires x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id x-amz-server-side-encryption-customer-algorithm',
  'x-amz-server-side-encryption-customer-key-md5 x-amz-storage-class',
].flatMap((line) => line.split(' '));

const METADATA = 'x-amz-meta-';

const REFUSED = [
  'x-amz-tagging x-amz-object-lock-mode x-amz-object-lock-retain-until-date x-amz-object-lock-legal-hold',
  'x-amz-website-redirect-location x-amz-write-offset-bytes',
].flatMap((line) => line.split(' '));

/** Bytes of the names and values of a PUT's metadata. */
const LARGEST_METADATA = 2_048;

/** The headers of a PUT that are stored with the object. Throws an AwsError for the header of an unsupported feature. */
export function storedHeaders(request: IncomingMessage): Record<string, string> {
  for (const name of REFUSED) if (request.headers[name] !== undefined) throw notImplemented(`the header ${name}`);
  // Buckets have the setting "bucket owner enforced", as new ones on AWS (user guide, "Troubleshooting" of Object Ownership).
  if ((header(request, 'x-amz-acl') ?? 'bucket-owner-full-control') !== 'bucket-owner-full-control')
    throw new AwsError('AccessControlListNotSupported', 'The bucket does not allow ACLs');
  const stored: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of Object.keys(request.headers)) {
    const value = header(request, name);
    if (value !== undefined && (KEPT.includes(name) || name.startsWith(METADATA))) stored[name] = value;
  }
  checkMetadata(stored);
  const encodings =
    header(request, 'content-encoding')
      ?.split(',')
      .map((encoding) => encoding.trim()) ?? [];
  const encoding = encodings.filter((name) => name !== '' && name !== 'aws-chunked').join(',');
  if (encoding) stored['content-encoding'] = encoding;
  return stored;
}

function checkMetadata(stored: Record<string, string>): void {
  const metadata = Object.entries(stored).filter(([name]) => name.startsWith(METADATA));
  const sizes = metadata.map(([name, value]) => Buffer.byteLength(name.slice(METADATA.length) + value));
  if (sizes.reduce((sum, size) => sum + size, 0) <= LARGEST_METADATA) return;
  throw new AwsError('MetadataTooLarge', 'Your metadata headers exceed the maximum allowed metadata size');
}
