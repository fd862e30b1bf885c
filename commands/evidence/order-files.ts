import { listVersions } from '../../core/aws/object-versions.ts';
import type { Buckets } from '../shared/buckets.ts';

/** A version of a file of an order that can be read, in one of the stage's buckets. */
export interface OrderFile {
  bucket: 'intake' | 'staging';
  key: string;
  versionId: string;
  /** Bytes. */
  size: number;
  /** When S3 stored it: ISO 8601 in UTC. */
  storedAt: string;
  isLatest: boolean;
}

/** Every version of every file of the order in both buckets, in the order of S3: by key, newest first. */
export async function filesOf(stage: Buckets, orderRef: string): Promise<OrderFile[]> {
  const found: OrderFile[] = [];
  for (const bucket of ['intake', 'staging'] as const) {
    const folder = { client: stage.client, bucket: stage[bucket], prefix: `orders/${orderRef}/` };
    for await (const { Versions = [] } of listVersions(folder)) {
      for (const { Key = '', VersionId = '', Size = 0, LastModified, IsLatest = false } of Versions) {
        const storedAt = (LastModified ?? new Date(0)).toISOString();
        found.push({ bucket, key: Key, versionId: VersionId, size: Size, storedAt, isLatest: IsLatest });
      }
    }
  }
  return found;
}
