import type { Account } from '../account.ts';
import type { Changes } from '../changes.ts';
import type { EventBus } from '../events/bus.ts';
import type { ObjectVersion } from './bucket.ts';
import type { S3Call } from './request.ts';

/** Sends EventBridge the events of buckets with EventBridge notifications, and notifies listeners of every new version. */
export class ObjectNotifier {
  readonly #bus: EventBus;
  readonly #account: Account;
  readonly #changes: Changes;

  constructor(bus: EventBus, account: Account, changes: Changes) {
    this.#bus = bus;
    this.#account = account;
    this.#changes = changes;
  }

  created(call: S3Call, version: ObjectVersion, reason: 'PutObject' | 'CompleteMultipartUpload'): void {
    const object = { key: version.key, size: version.size, etag: version.etag };
    this.#changes.publish({ type: 'object', bucket: call.bucket.name, key: version.key });
    this.#send(call, 'Object Created', version, object, { reason });
  }

  deleted(call: S3Call, version: ObjectVersion, deletionType: 'Delete Marker Created' | 'Permanently Deleted'): void {
    const object = { key: version.key, etag: version.etag };
    this.#send(call, 'Object Deleted', version, object, { reason: 'DeleteObject', 'deletion-type': deletionType });
  }

  #send(call: S3Call, detailType: string, version: ObjectVersion, object: object, more: object): void {
    const { bucket } = call;
    if (!bucket.sendsEvents) return;
    const versionId = bucket.isVersioned ? { 'version-id': version.versionId } : {};
    this.#bus.publish({
      source: 'aws.s3',
      'detail-type': detailType,
      resources: [bucket.arn],
      detail: {
        version: '0',
        bucket: { name: bucket.name },
        object: { ...object, ...versionId, sequencer: version.sequencer },
        'request-id': call.requestId,
        requester: this.#account.accountId,
        'source-ip-address': '127.0.0.1',
        ...more,
      },
    });
  }
}
