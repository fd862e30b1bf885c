import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { describe, expect, it } from 'vitest';
import { startS3 } from './s3-fixture.ts';

const KEYS = [
  'plain',
  'with space',
  'a+b',
  'договор №1.pdf',
  '../up/../x',
  'a//b',
  '/leading',
  'q?x=1&y#z',
  'a%2Fb',
  "it's(1)!*",
];

describe('S3 objects', () => {
  it.each(KEYS)('keep the key %j unchanged', async (Key) => {
    const { s3, Bucket, text } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }));
    expect(await text(Key)).toBe(`body of ${Key}`);
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
    expect(Contents?.map((object) => decodeURIComponent(object.Key ?? ''))).toEqual([Key]);
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: encodeURIComponent(`${Bucket}/${Key}`) }));
    expect(await text('copy')).toBe(`body of ${Key}`);
  });

  it('store a stream without its chunk framing, with metadata and with its MD5 as ETag', async () => {
    const { s3, Bucket } = await startS3();
    const body = randomBytes(200_000);
    const Body = Readable.from([body.subarray(0, 1), body.subarray(1, 70_000), body.subarray(70_000)]);
    const put = { Bucket, Key: 'k', ContentType: 'text/x', Metadata: { made: 'here' }, ContentLength: body.length };
    const { ETag, ChecksumCRC32 } = await s3.send(new PutObjectCommand({ ...put, Body }));
    expect(ETag).toBe(`"${createHash('md5').update(body).digest('hex')}"`);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }));
    expect(got).toMatchObject({
      ContentType: 'text/x',
      Metadata: { made: 'here' },
      ChecksumCRC32,
      ContentLength: 200_000,
    });
    expect(ChecksumCRC32).toEqual(expect.any(String));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
  });

  it('refuse a body with a wrong checksum, and store nothing', async () => {
    const { s3, Bucket } = await startS3();
    const put = s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', ChecksumCRC32: 'AAAAAA==' }));
    await expect(put).rejects.toMatchObject({ name: 'BadDigest' });
    await expect(s3.send(new HeadObjectCommand({ Bucket, Key: 'k' }))).rejects.toMatchObject({ name: 'NotFound' });
  });

  it.each([
    ['bytes=1-3', 'bcd', 'bytes 1-3/6'],
    ['bytes=4-', 'ef', 'bytes 4-5/6'],
    ['bytes=-2', 'ef', 'bytes 4-5/6'],
    ['bytes=0-99', 'abcdef', 'bytes 0-5/6'],
  ])('answer the range %s', async (Range, expected, ContentRange) => {
    const { s3, Bucket } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'abcdef' }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', Range }));
    expect([await got.Body?.transformToString(), got.ContentRange]).toEqual([expected, ContentRange]);
  });

  it('respect conditions of requests', async () => {
    const { s3, Bucket, text } = await startS3();
    const put = (Body: string, more: object) => s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body, ...more }));
    const get = (more: object) => s3.send(new GetObjectCommand({ Bucket, Key: 'k', ...more }));
    const { ETag = '' } = await put('one', { IfNoneMatch: '*' });
    await expect(put('two', { IfNoneMatch: '*' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(put('two', { IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(get({ IfMatch: '"other"' })).rejects.toMatchObject({ name: 'PreconditionFailed' });
    await expect(get({ IfNoneMatch: ETag })).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
    await expect(get({ Range: 'bytes=9-' })).rejects.toMatchObject({ name: 'InvalidRange' });
    await put('two', { IfMatch: ETag });
    expect(await text('k')).toBe('two');
  });

  it('keep versions, and hide a deleted object behind a delete marker', async () => {
    const { s3, Bucket, text } = await startS3({ VersioningConfiguration: { Status: 'Enabled' } });
    const one = await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'one' }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'two' }));
    const deleted = await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k' }));
    expect(deleted.DeleteMarker).toBe(true);
    await expect(text('k')).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(await text('k', one.VersionId)).toBe('one');
    expect((await s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
    await expect(text('k', 'n'.repeat(32))).rejects.toMatchObject({ name: 'NoSuchVersion' });
    const { Versions, DeleteMarkers } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    expect(Versions?.map(({ Size, IsLatest }) => [Size, IsLatest])).toEqual([
      [3, false],
      [3, false],
    ]);
    expect(DeleteMarkers?.map(({ VersionId, IsLatest }) => [VersionId, IsLatest])).toEqual([[deleted.VersionId, true]]);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'k', VersionId: deleted.VersionId }));
    expect(await text('k')).toBe('two');
  });

  it('are replaced and deleted in a bucket without versions', async () => {
    const { s3, Bucket, text } = await startS3();
    for (const Body of ['one', 'two']) await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
    await s3.send(new PutObjectCommand({ Bucket, Key: 'other', Body: 'x' }));
    expect(await text('k')).toBe('two');
    const Objects = [{ Key: 'k' }, { Key: 'other' }, { Key: 'never there' }];
    const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    expect(Deleted?.map(({ Key }) => Key)).toEqual(['k', 'other', 'never there']);
    await expect(text('k')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('refuse a bucket that does not exist and an unsupported operation by name', async () => {
    const { s3, Bucket } = await startS3();
    const elsewhere = s3.send(new GetObjectCommand({ Bucket: 'nowhere', Key: 'k' }));
    await expect(elsewhere).rejects.toMatchObject({ name: 'NoSuchBucket' });
    const tagged = s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: 'x', Tagging: 'a=b' }));
    await expect(tagged).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining('x-amz-tagging'),
    });
  });

  it('are removed from the disk when the embedded AWS closes', async () => {
    // The process may run other embedded AWSs, each with its own folder.
    const ofProcess = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`local-aws-${process.pid}-`));
    const others = new Set(ofProcess());
    const folders = () => ofProcess().filter((name) => !others.has(name));
    const { s3, aws, Bucket } = await startS3();
    await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body: randomBytes(20_000) }));
    expect(folders().map((name) => readdirSync(join(tmpdir(), name)).length)).toEqual([1]);
    await aws.close();
    expect(folders()).toEqual([]);
  });

  it('combine the parts of a multipart upload of lib-storage', async () => {
    const { s3, Bucket } = await startS3();
    const body = randomBytes(11 * 1024 * 1024);
    const params = { Bucket, Key: 'big', Body: Readable.from([body]), ContentType: 'image/x' };
    const { ETag } = await new Upload({ client: s3, params, partSize: 5 * 1024 * 1024 }).done();
    expect(ETag).toMatch(/-3"$/);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'big' }));
    expect(got.ContentType).toBe('image/x');
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
    const Range = `bytes=${5 * 1024 * 1024 - 2}-${5 * 1024 * 1024 + 1}`;
    const across = await s3.send(new GetObjectCommand({ Bucket, Key: 'big', Range }));
    const expected = body.subarray(5 * 1024 * 1024 - 2, 5 * 1024 * 1024 + 2);
    expect(Buffer.from((await across.Body?.transformToByteArray()) ?? []).equals(expected)).toBe(true);
  });
});
