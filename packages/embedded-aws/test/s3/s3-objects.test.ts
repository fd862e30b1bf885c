import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { describe, expect, it } from 'vitest';
import { startS3 } from './s3-fixture.ts';

const LIKE_PATHS = ['../up/../x', 'a//b', '/leading', 'q?x=1&y#z', 'a%2Fb'];
const KEYS = ['plain', 'with space', 'a+b', 'договор №1.pdf', "it's(1)!*", ...LIKE_PATHS];

describe('S3 objects', () => {
  it('keep their keys unchanged', async () => {
    const { s3, Bucket, text } = await startS3();
    for (const Key of KEYS) await s3.send(new PutObjectCommand({ Bucket, Key, Body: `body of ${Key}` }));
    for (const Key of KEYS) expect(await text(Key)).toBe(`body of ${Key}`);
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
    expect(Contents.map(({ Key = '' }) => decodeURIComponent(Key)).sort()).toEqual(KEYS.toSorted());
  });

  it('store a stream without its chunk framing, with metadata and with its MD5 as ETag', async () => {
    const { s3, Bucket } = await startS3();
    const body = randomBytes(200_000);
    const Body = Readable.from([body.subarray(0, 1), body.subarray(1, 70_000), body.subarray(70_000)]);
    const put = { Bucket, Key: 'k', ContentType: 'text/x', Metadata: { made: 'here' }, ContentLength: body.length };
    const { ETag, ChecksumCRC32 } = await s3.send(new PutObjectCommand({ ...put, Body }));
    expect(ETag).toBe(`"${createHash('md5').update(body).digest('hex')}"`);
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' }));
    const facts = { ContentType: 'text/x', Metadata: { made: 'here' }, ChecksumCRC32, ContentLength: 200_000 };
    expect(got).toMatchObject(facts);
    expect(ChecksumCRC32).toEqual(expect.any(String));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(body)).toBe(true);
  });

  it('are replaced and deleted in a bucket without versions', async () => {
    const { s3, Bucket, text } = await startS3();
    for (const Body of ['one', 'two']) await s3.send(new PutObjectCommand({ Bucket, Key: 'k', Body }));
    expect(await text('k')).toBe('two');
    for (const Key of ['k', 'never there']) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    await expect(text('k')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('refuse an unsupported operation by name', async () => {
    const { s3, Bucket } = await startS3();
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
