import type { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { clientOf } from './storage.ts';

/**
 * Streams `body` into an object and returns the object's version. Uses one request if the length is known, and a multipart
 * upload otherwise. A request of known length waits for the whole body: use `signal` to end it if the body fails.
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
