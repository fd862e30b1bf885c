import type { IncomingMessage } from 'node:http';
import { AwsError } from '../protocol/operation.ts';
import type { ObjectVersion } from './bucket.ts';
import { header } from './request.ts';
import { noSuchKey, preconditionFailed } from './s3-error.ts';

/** Checks `If-Match` and `If-None-Match` of a write against the current version. Throws an AwsError. */
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

/** Checks the conditions of a read. Throws PreconditionFailed. Returns true if the client's copy is still current (304). */
export function isNotModified(request: IncomingMessage, version: ObjectVersion): boolean {
  const ifMatch = header(request, 'if-match');
  const unmodifiedSince = header(request, 'if-unmodified-since');
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, version.etag)) throw preconditionFailed();
  } else if (unmodifiedSince !== undefined && wholeSeconds(version.lastModified) > Date.parse(unmodifiedSince)) {
    throw preconditionFailed();
  }
  const ifNoneMatch = header(request, 'if-none-match');
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, version.etag);
  const modifiedSince = header(request, 'if-modified-since');
  return modifiedSince !== undefined && wholeSeconds(version.lastModified) <= Date.parse(modifiedSince);
}

function matches(condition: string, etag: string): boolean {
  return condition.split(',').some((one) => one.trim() === '*' || one.trim().replaceAll('"', '') === etag);
}

/** HTTP dates have no fraction of a second. */
function wholeSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
