import { LONGEST_KEY } from '../aws/object-key.ts';
import { UnusableEvent } from '../queue-batch.ts';
import { intakePart, isOrderRef } from './intake-key.ts';

/** The object in an event `Object Created` of S3 in EventBridge: the fields that we use. `key` is not URL-encoded. `size` is bytes. */
export interface CreatedObject {
  key: string;
  'version-id'?: string;
  size?: number;
}

type Received = { detail?: { object?: { key?: unknown; 'version-id'?: unknown; size?: unknown } } } | null;

/** The object of an event. @throws UnusableEvent if S3 cannot have sent this event. */
export function objectCreated(event: unknown): CreatedObject {
  const { key, 'version-id': versionId, size } = (event as Received)?.detail?.object ?? {};
  const isVersion = versionId === undefined || typeof versionId === 'string';
  if (!isKey(key) || !isVersion) throw new UnusableEvent('The message is no event of an object in S3.');
  const object: CreatedObject = { key };
  if (versionId !== undefined) object['version-id'] = versionId;
  if (typeof size === 'number') object.size = size;
  return object;
}

/** The order whose folder contains the object; undefined if the message names none. */
export function orderOfObject(message: unknown): string | undefined {
  const { key } = (message as Received)?.detail?.object ?? {};
  const { folder } = (isKey(key) && intakePart(key)) || {};
  return folder !== undefined && isOrderRef(folder) ? folder : undefined;
}

function isKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.isWellFormed() && Buffer.byteLength(key) <= LONGEST_KEY;
}
