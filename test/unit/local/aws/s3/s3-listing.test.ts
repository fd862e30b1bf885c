import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetBucketLocationCommand,
  GetBucketVersioningCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  ListPartsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { startS3 } from './s3-fixture.ts';

async function filled(...keys: string[]) {
  const started = await startS3();
  for (const Key of keys) await started.s3.send(new PutObjectCommand({ Bucket: started.Bucket, Key, Body: Key }));
  return started;
}

describe('S3 listings', () => {
  it('sort keys by their UTF-8 bytes', async () => {
    const { s3, Bucket } = await filled('b', '\u{1F600}', '\uFFFD', 'a/', 'B', 'а');
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }));
    expect(Contents?.map(({ Key }) => Key)).toEqual(['B', 'a/', 'b', 'а', '\uFFFD', '\u{1F600}']);
  });

  it('group keys by a delimiter, page by page', async () => {
    const { s3, Bucket } = await filled('p/a', 'p/b/1', 'p/b/2', 'p/c', 'p/d/1', 'q');
    const pages = paginateListObjectsV2({ client: s3, pageSize: 2 }, { Bucket, Prefix: 'p/', Delimiter: '/' });
    const seen: string[][] = [];
    for await (const { Contents = [], CommonPrefixes = [], KeyCount } of pages) {
      const names = [...Contents.map(({ Key }) => Key), ...CommonPrefixes.map(({ Prefix }) => Prefix)];
      expect(KeyCount).toBe(names.length);
      seen.push(names.map(String));
    }
    const whole = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: 'p/', Delimiter: '/' }));
    expect(whole.CommonPrefixes).toEqual([{ Prefix: 'p/b/' }, { Prefix: 'p/d/' }]);
    expect(seen).toEqual([
      ['p/a', 'p/b/'],
      ['p/c', 'p/d/'],
    ]);
  });

  it('contain no key whose last version was deleted', async () => {
    const { s3, Bucket } = await filled('p/a', 'q/a');
    const { Versions } = await s3.send(new ListObjectVersionsCommand({ Bucket, Prefix: 'p/' }));
    for (const { Key, VersionId } of Versions ?? []) await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
    const { CommonPrefixes } = await s3.send(new ListObjectVersionsCommand({ Bucket, Delimiter: '/' }));
    expect(CommonPrefixes).toEqual([{ Prefix: 'q/' }]);
  });

  it('start after a given key, and respect max-keys', async () => {
    const { s3, Bucket } = await filled('a', 'b', 'c', 'd');
    const list = await s3.send(new ListObjectsV2Command({ Bucket, StartAfter: 'a', MaxKeys: 2 }));
    expect(list.Contents?.map(({ Key }) => Key)).toEqual(['b', 'c']);
    expect(list.IsTruncated).toBe(true);
    const first = await s3.send(new ListObjectsCommand({ Bucket, Marker: 'b' }));
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(['c', 'd']);
  });

  it('describe the bucket itself', async () => {
    const { s3, Bucket } = await startS3({ VersioningConfiguration: { Status: 'Enabled' } });
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
    expect((await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe('Enabled');
    expect((await s3.send(new GetBucketLocationCommand({ Bucket }))).LocationConstraint).toBeFalsy();
    await s3.send(new HeadBucketCommand({ Bucket }));
    await expect(s3.send(new HeadBucketCommand({ Bucket: 'nowhere' }))).rejects.toMatchObject({ name: 'NotFound' });
  });
});

describe('S3 multipart uploads', () => {
  async function begin() {
    const { s3, Bucket } = await startS3();
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
    const place = { Bucket, Key: 'k', UploadId };
    const put = async (PartNumber: number, Body: string) => {
      const { ETag } = await s3.send(new UploadPartCommand({ ...place, PartNumber, Body }));
      return { PartNumber, ETag };
    };
    const complete = (...Parts: object[]) =>
      s3.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } }));
    return { s3, Bucket, place, put, complete };
  }

  it('refuse parts that are too small, unknown or out of order', async () => {
    const { put, complete } = await begin();
    const [one, two] = [await put(1, 'small'), await put(2, 'last')];
    await expect(complete(one, two)).rejects.toMatchObject({ name: 'EntityTooSmall' });
    await expect(complete(two, one)).rejects.toMatchObject({ name: 'InvalidPartOrder' });
    await expect(complete({ ...one, ETag: '"x"' })).rejects.toMatchObject({ name: 'InvalidPart' });
    await expect(complete(two)).resolves.toMatchObject({ Key: 'k' });
    await expect(complete(two)).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  it('list their parts, and remove them when aborted', async () => {
    const { s3, Bucket, place, put } = await begin();
    await put(1, 'first');
    await put(1, 'again!');
    const { Parts } = await s3.send(new ListPartsCommand(place));
    expect(Parts?.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([[1, 6]]);
    expect((await s3.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toHaveLength(1);
    await s3.send(new AbortMultipartUploadCommand(place));
    await expect(put(1, 'late')).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });
});
