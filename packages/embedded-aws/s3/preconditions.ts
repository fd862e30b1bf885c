import type { IncomingMessage } from 'node:http';
import { AwsError } from '../protocol/operation.ts';
import type { ObjectVersion } from './bucket.ts';
import { header } from './request.ts';
import { noSuchKey, notImplemented, preconditionFailed } from './s3-error.ts';

/** Checks a write's `If-Match` and `If-None-Match` against the current version. Throws an AwsError. */
export function checkWrite(request: IncomingMessage, current: ObjectVersion | undefined): void {
  const ifNoneMatch = header(request, 'if-none-match');
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    throw new AwsError('NotImplemented', 'If-None-Match of a write must be *.', 501);
  }
  if (ifNoneMatch === '*' && current) throw preconditionFailed();
  const ifMatch = header(request, 'if-match');
  if (ifMatch === undefined) return;
  if (!current) throw noSuchKey();
  if (!matches(ifMatch, current.etag)) throw preconditionFailed();
}

/** Checks a read's conditions. Returns true if the client's copy is current (304). Throws an AwsError (PreconditionFailed). */
export function isNotModified(request: IncomingMessage, { etag }: ObjectVersion): boolean {
  const ifMatch = header(request, 'if-match');
  if (ifMatch !== undefined && !matches(ifMatch, etag)) throw preconditionFailed();
  const other = ['if-modified-since', 'if-unmodified-since'].find((name) => header(request, name) !== undefined);
  if (other !== undefined) throw notImplemented(`the header ${other}`);
  const ifNoneMatch = header(request, 'if-none-match');
  return ifNoneMatch !== undefined && matches(ifNoneMatch, etag);
}

function matches(condition: string, etag: string): boolean {
  return condition.split(',').some((one) => one.trim() === '*' || one.trim().replaceAll('"', '') === etag);
}
