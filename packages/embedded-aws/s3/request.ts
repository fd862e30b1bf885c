import type { IncomingMessage } from 'node:http';
import type { Exchange } from '../protocol/call.ts';
import { AwsError } from '../protocol/operation.ts';
import type { Bucket } from './bucket.ts';

/** Query parameters that select an operation. Other parameters are its input. */
const SUBRESOURCES = new Set(
  [
    'acl accelerate analytics attributes cors delete encryption intelligent-tiering inventory legal-hold',
    'lifecycle location logging metrics notification object-lock ownershipControls policy policyStatus',
    'publicAccessBlock renameObject replication requestPayment restore retention select tagging torrent',
    'uploads versioning versions website',
  ].flatMap((line) => line.split(' ')),
);

/** The target of a path-style request: `/<bucket>/<key>?<query>`. */
export interface S3Target {
  bucket?: string;
  key?: string;
  query: URLSearchParams;
}

/** Throws an AwsError if the caller's policies do not allow it. Forms need it, because only their body names the caller. */
export type CheckRight = (accessKeyId: string, right: { action: string; resource: string }) => void;

export interface S3Call extends Exchange {
  bucket: Bucket;
  /** Empty for an operation on the bucket itself. */
  key: string;
  query: URLSearchParams;
  checkRight: CheckRight;
}

/**
 * Does not use a URL parser, which would change `..` and `//`: both are allowed in keys.
 * Throws an AwsError (InvalidURI) if the URL is not percent-encoded UTF-8.
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

/** S3's limit for keys. Bytes of UTF-8. */
const LONGEST_KEY = 1_024;

export function checkKey(key: string): void {
  if (Buffer.byteLength(key) > LONGEST_KEY) throw new AwsError('KeyTooLongError', 'Your key is too long');
}

/** Throws an AwsError (InvalidArgument) if the version ID does not have the format of S3's. */
export function checkVersion(query: URLSearchParams): void {
  const versionId = query.get('versionId');
  if (versionId === null || /^(null|.{32})$/.test(versionId)) return;
  throw new AwsError('InvalidArgument', 'Invalid version id specified');
}

/** Names an operation by method, target and subresource: `GET object`, `POST bucket?delete`, … */
export function operationOf({ method }: IncomingMessage, { key, query }: Pick<S3Target, 'key' | 'query'>): string {
  const subresource = [...query.keys()].find((name) => SUBRESOURCES.has(name));
  return `${method} ${key ? 'object' : 'bucket'}${subresource ? `?${subresource}` : ''}`;
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AwsError('InvalidURI', "Couldn't parse the specified URI.");
  }
}

export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
