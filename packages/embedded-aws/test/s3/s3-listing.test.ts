import {
  DeleteObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
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

  // AWS documents the markers as the first version that is not returned; S3 sends the last one that is, and begins after it
  // (github.com/ceph/s3-tests/pull/594, github.com/johannesboyne/gofakes3: internal/s3assumer/s300004).
  it('divide the versions of one key among pages, also when each page is removed before the next is read', async () => {
    const { s3, Bucket } = await startS3({ VersioningConfiguration: { Status: 'Enabled' } });
    for (const Key of ['a', 'b', 'b', 'b', 'c']) await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'b' }));
    const whole = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const newestFirst = ['a', 'b', 'b', 'b', 'b', 'c'];
    const pages: string[][] = [];
    const seen: (string | undefined)[] = [];
    let markers: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } = {};
    for (let truncated = true; truncated; ) {
      const page = await s3.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 2, ...markers }));
      const { IsTruncated = false, NextKeyMarker, NextVersionIdMarker, Versions = [], DeleteMarkers = [] } = page;
      const listed = [...DeleteMarkers, ...Versions].sort((one, other) =>
        (one.Key ?? '').localeCompare(other.Key ?? ''),
      );
      pages.push(listed.map(({ Key = '' }) => Key));
      seen.push(...listed.map(({ VersionId }) => VersionId));
      if (IsTruncated)
        expect([NextKeyMarker, NextVersionIdMarker]).toEqual([listed.at(-1)?.Key, listed.at(-1)?.VersionId]);
      for (const { Key, VersionId } of listed) await s3.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
      markers = { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker };
      truncated = IsTruncated;
    }
    expect(pages).toEqual([newestFirst.slice(0, 2), newestFirst.slice(2, 4), newestFirst.slice(4)]);
    expect(seen.toSorted()).toEqual(
      [...(whole.Versions ?? []), ...(whole.DeleteMarkers ?? [])].map(({ VersionId }) => VersionId).sort(),
    );
  });
});
