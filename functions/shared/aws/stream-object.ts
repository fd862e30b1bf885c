import type { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { clientOf } from './storage.ts';

/**
 * Streams `body` into an object in one request when its length is known, in parts otherwise; answers its version. A request of a known
 * length waits for all of it: `signal` ends it where the body has broken off.
 */
export async function streamObject(target: {
  bucket: string;
  key: string;
  body: Readable;
  contentType: string;
  length?: number | undefined;
  signal: AbortSignal;
}): Promise<string> {
  const { bucket: Bucket, key: Key, body: Body, contentType: ContentType, length, signal } = target;
  if (length !== undefined) {
    const put = new PutObjectCommand({ Bucket, Key, Body, ContentType, ContentLength: length });
    const answer = await clientOf(Bucket).send(put, { abortSignal: signal });
    return answer.VersionId ?? '';
  }
  const answer = await new Upload({ client: clientOf(Bucket), params: { Bucket, Key, Body, ContentType } }).done();
  return answer.VersionId ?? '';
}
