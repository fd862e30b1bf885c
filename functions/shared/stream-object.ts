import type { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { client } from './storage.ts';

/** Streams `body` into an object in one request when its length is known, in parts otherwise; answers its version. */
export async function streamObject(target: {
  bucket: string;
  key: string;
  body: Readable;
  contentType: string;
  length?: number | undefined;
}): Promise<string> {
  const { bucket: Bucket, key: Key, body: Body, contentType: ContentType, length } = target;
  if (length !== undefined) {
    const answer = await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType, ContentLength: length }));
    return answer.VersionId ?? '';
  }
  const answer = await new Upload({ client, params: { Bucket, Key, Body, ContentType } }).done();
  return answer.VersionId ?? '';
}
