import type { Bucket } from './bucket.ts';
import type { S3Context } from './object-operations.ts';
import type { S3Call } from './request.ts';

interface Deletion {
  /** The id of the removed version or of the new delete marker. */
  versionId?: string;
  isDeleteMarker: boolean;
}

export async function deleteObject(context: S3Context, call: S3Call): Promise<void> {
  const deletion = await deleteKey(context, call, call.key, call.query.get('versionId') ?? undefined);
  call.response.writeHead(204, {
    ...(deletion.versionId ? { 'x-amz-version-id': deletion.versionId } : {}),
    ...(deletion.isDeleteMarker ? { 'x-amz-delete-marker': 'true' } : {}),
  });
  call.response.end();
}

async function deleteKey(context: S3Context, call: S3Call, key: string, versionId?: string): Promise<Deletion> {
  const { bucket } = call;
  if (versionId !== undefined || !bucket.isVersioned) return removeVersion(context, call, key, versionId);
  const marker = await bucket.add(
    { key, size: 0, etag: '', lastModified: context.clock.now(), segments: [], headers: {} },
    true,
  );
  context.notifier.deleted(call, marker, 'Delete Marker Created');
  return { versionId: marker.versionId, isDeleteMarker: true };
}

/** Removes a version. As in S3, this succeeds if there is none. */
async function removeVersion(context: S3Context, call: S3Call, key: string, versionId?: string): Promise<Deletion> {
  const bucket: Bucket = call.bucket;
  const version = bucket.find(key, versionId);
  if (version) {
    await bucket.remove(version);
    context.notifier.deleted(call, version, 'Permanently Deleted');
  }
  return { ...(versionId ? { versionId } : {}), isDeleteMarker: version?.isDeleteMarker ?? false };
}
