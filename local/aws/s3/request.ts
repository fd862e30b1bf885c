import type { AwsIncoming, AwsOutgoing } from '../transport/http.ts';
import type { Bucket } from './bucket.ts';
import { S3Error } from './s3-error.ts';

/** Query parameters that pick an operation; every other one belongs to the operation. */
const SUBRESOURCES = new Set([
  'acl',
  'accelerate',
  'analytics',
  'attributes',
  'cors',
  'delete',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'legal-hold',
  'lifecycle',
  'location',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'renameObject',
  'replication',
  'requestPayment',
  'restore',
  'retention',
  'select',
  'tagging',
  'torrent',
  'uploads',
  'versioning',
  'versions',
  'website',
]);

/** A request as S3 understands it, path style: `/<bucket>/<key>?<query>`. */
export interface S3Target {
  bucket?: string;
  key?: string;
  query: URLSearchParams;
}

/** What every operation on a bucket gets. */
export interface S3Call {
  request: AwsIncoming;
  response: AwsOutgoing;
  bucket: Bucket;
  /** Empty for an operation on the bucket itself. */
  key: string;
  query: URLSearchParams;
  requestId: string;
}

/**
 * The path is taken apart by hand: a URL parser would fold `..` and `//`, which are ordinary parts of a key.
 * Throws an S3Error (InvalidURI) when it is not percent-encoded UTF-8.
 */
export function parseTarget(url: string): S3Target {
  const mark = url.indexOf('?');
  const path = (mark === -1 ? url : url.slice(0, mark)).replace(/^\//, '');
  const query = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  const slash = path.indexOf('/');
  const bucket = decode(slash === -1 ? path : path.slice(0, slash));
  const key = slash === -1 ? '' : decode(path.slice(slash + 1));
  return { query, ...(bucket ? { bucket } : {}), ...(key ? { key } : {}) };
}

/** S3's own limit for a key. Bytes of UTF-8. */
const LONGEST_KEY = 1_024;

/** Throws an S3Error (KeyTooLongError) for a key that no object can have. */
export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > LONGEST_KEY) throw new S3Error('KeyTooLongError', 'Your key is too long');
}

/** `GET object`, `POST bucket?delete`, …: how S3's operations are told apart, but for what is in headers. */
export function operationOf({ method }: AwsIncoming, { key, query }: Pick<S3Target, 'key' | 'query'>): string {
  const subresource = [...query.keys()].find((name) => SUBRESOURCES.has(name));
  return `${method} ${key ? 'object' : 'bucket'}${subresource ? `?${subresource}` : ''}`;
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  }
}

/** The named header as one string. */
export function header(request: AwsIncoming, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
