import type { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { clientOf } from './storage.ts';

/**
 * Streams `body` into an object and returns the object's version. Nothing is stored if the body fails. Each part of 5 MiB is collected
 * before it is sent: S3 closes a request whose body pauses for 20 seconds, and the SDK can repeat only a part that is whole.
 */
export async function streamObject(target: {
  bucket: string;
  key: string;
  body: Readable;
  contentType: string;
}): Promise<string> {
  const { bucket: Bucket, key: Key, body: Body, contentType: ContentType } = target;
  const answer = await new Upload({ client: clientOf(Bucket), params: { Bucket, Key, Body, ContentType } }).done();
  return answer.VersionId ?? '';
}
