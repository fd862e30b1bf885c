import type { Account } from '../account.ts';
import type { Changes } from '../changes.ts';
import type { EventBus } from '../events/bus.ts';
import type { ObjectVersion } from './bucket.ts';
import type { S3Call } from './request.ts';

export type ObjectNotifier = ReturnType<typeof createNotifier>;

/** Sends EventBridge the events of buckets with EventBridge notifications, and notifies listeners of every new version. */
export function createNotifier(bus: EventBus, { accountId: requester }: Account, changes: Changes) {
  const send = (call: S3Call, detailType: string, version: ObjectVersion, object: object, more: object) => {
    const { bucket } = call;
    if (!bucket.sendsEvents) return;
    const versionId = bucket.isVersioned ? { 'version-id': version.versionId } : {};
    bus.publish({
      source: 'aws.s3',
      'detail-type': detailType,
      resources: [bucket.arn],
      detail: {
        version: '0',
        bucket: { name: bucket.name },
        object: { ...object, ...versionId, sequencer: version.sequencer },
        'request-id': call.requestId,
        requester,
        'source-ip-address': '127.0.0.1',
        ...more,
      },
    });
  };
  return {
    created: (
      call: S3Call,
      version: ObjectVersion,
      reason: 'PutObject' | 'POST Object' | 'CompleteMultipartUpload',
    ) => {
      const { key, size, etag } = version;
      changes.publish({ type: 'object', bucket: call.bucket.name, key });
      send(call, 'Object Created', version, { key, size, etag }, { reason });
    },
    deleted: (call: S3Call, version: ObjectVersion, type: 'Delete Marker Created' | 'Permanently Deleted') => {
      const { key, etag } = version;
      send(call, 'Object Deleted', version, { key, etag }, { reason: 'DeleteObject', 'deletion-type': type });
    },
  };
}
