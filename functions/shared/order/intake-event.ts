import { LONGEST_KEY } from '../aws/storage.ts';
import { UnusableEvent } from '../queue-batch.ts';

/** The event `Object Created` of S3 in EventBridge: the fields that we use. `key` is not URL-encoded. */
export interface ObjectCreatedEvent {
  detail: { object: { key: string; 'version-id'?: string } };
}

type Received = { detail?: { object?: { key?: unknown; 'version-id'?: unknown } } } | null;

/** @throws UnusableEvent if S3 cannot have sent this event. */
export function objectCreated(event: unknown): ObjectCreatedEvent {
  const { key, 'version-id': versionId } = (event as Received)?.detail?.object ?? {};
  const isVersion = versionId === undefined || typeof versionId === 'string';
  if (!isKey(key) || !isVersion) throw new UnusableEvent('The message is no event of an object in S3.');
  return { detail: { object: { key, ...(versionId !== undefined && { 'version-id': versionId }) } } };
}

function isKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.isWellFormed() && Buffer.byteLength(key) <= LONGEST_KEY;
}
