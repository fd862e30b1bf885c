import type { Account } from '../account.ts';
import type { Changes } from '../changes.ts';
import type { EventBus } from '../events/bus.ts';
import type { ObjectVersion } from './bucket.ts';
import type { S3Call } from './request.ts';

export type ObjectNotifier = ReturnType<typeof createNotifier>;

/**
 * Notifies listeners of every new object version, and EventBridge if the bucket has notifications to EventBridge. Deletions send no
 * event.
 */
export function createNotifier(bus: EventBus, { accountId: requester }: Account, changes: Changes) {
  return (call: S3Call, version: ObjectVersion, reason: 'PutObject' | 'POST Object' | 'CompleteMultipartUpload') => {
    const { bucket, requestId } = call;
    const { key, size, etag, sequencer } = version;
    changes.publish({ type: 'object', bucket: bucket.name, key });
    if (!bucket.sendsEvents) return;
    const versionId = bucket.isVersioned ? { 'version-id': version.versionId } : {};
    bus.publish({
      source: 'aws.s3',
      'detail-type': 'Object Created',
      resources: [bucket.arn],
      detail: {
        version: '0',
        bucket: { name: bucket.name },
        object: { key, size, etag, ...versionId, sequencer },
        'request-id': requestId,
        requester,
        'source-ip-address': '127.0.0.1',
        reason,
      },
    });
  };
}
