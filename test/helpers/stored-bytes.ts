import { GetObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import type { WorldStorage } from './world-storage.ts';

export interface StoredVersion {
  bucket: string;
  /** Without the order's folder. */
  file: string;
  versionId: string;
  isDeleteMarker: boolean;
}

/** Every version of the order's files in both buckets, delete markers included. */
export async function versionsOf({ s3, outputs }: WorldStorage, orderRef: string): Promise<StoredVersion[]> {
  const buckets = [outputs.IntakeBucket ?? '', outputs.StagingBucket ?? ''];
  return (await Promise.all(buckets.map((bucket) => versionsIn(s3, bucket, `orders/${orderRef}/`)))).flat();
}

async function versionsIn(s3: S3Client, bucket: string, prefix: string): Promise<StoredVersion[]> {
  const page = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: prefix }));
  const described =
    (isDeleteMarker: boolean) => (version: { Key?: string | undefined; VersionId?: string | undefined }) => ({
      bucket,
      file: (version.Key ?? '').slice(prefix.length),
      versionId: version.VersionId ?? '',
      isDeleteMarker,
    });
  return [...(page.Versions ?? []).map(described(false)), ...(page.DeleteMarkers ?? []).map(described(true))];
}

/** The bytes of every version in both buckets, and every item of the record, as one text. */
export async function everythingOf(world: WorldStorage, orderRef: string): Promise<string> {
  const versions = (await versionsOf(world, orderRef)).filter(({ isDeleteMarker }) => !isDeleteMarker);
  const bodies = await Promise.all(
    versions.map(async ({ bucket: Bucket, file, versionId: VersionId }) => {
      const Key = `orders/${orderRef}/${file}`;
      const { Body } = await world.s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
      return `${Key}\n${await Body?.transformToString()}`;
    }),
  );
  return [...bodies, JSON.stringify(await world.items(orderRef))].join('\n');
}
