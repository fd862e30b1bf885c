import { createHash } from 'node:crypto';
import { exchangeKey, requestKey, stageExchangeText } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

/** The item `request` of subject `request#<requestId>`: a request from the service, and where it is staged. */
export interface RequestItem {
  kind: 'request';
  /** When it was first received. */
  at: string;
  requestId: string;
  key: string;
  versionId: string;
  /** SHA-256 of the staged text, in hexadecimal. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of the text that the last event was about. Absent until the first event. */
  announced?: string;
}

/** One element of `GET /requests`. */
export interface ReceivedRequest {
  /** Undefined if the element has none that can be used. */
  requestId: string | undefined;
  text: string;
  sha256: string;
}

/** `known`: there was an event for it before. */
export type KeptRequest = { item: RequestItem; known: boolean };

export function receivedRequest(text: string): ReceivedRequest {
  const { requestId } = (JSON.parse(text) ?? {}) as { requestId?: unknown };
  const usable = (typeof requestId === 'string' && requestId !== '') || Number.isSafeInteger(requestId);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { requestId: usable ? String(requestId) : undefined, text, sha256 };
}

const key = (requestId: string) => ({ subject: `request#${requestId}`, item: 'request' });

/**
 * Stages a request, then records it. Skips a request that has not changed. Stages an element without a usable `requestId`
 * separately, under its hash.
 * @returns the request if an event must be published for it.
 */
export async function keepRequest({ requestId, text, sha256 }: ReceivedRequest): Promise<KeptRequest | undefined> {
  if (requestId === undefined) {
    await stageExchangeText(exchangeKey(`requests-unusable/${sha256}.json`), text);
    return undefined;
  }
  const earlier = await exchangeTable.getItem<RequestItem>(key(requestId));
  if (earlier?.sha256 === sha256) return earlier.announced === sha256 ? undefined : { item: earlier, known: false };
  const staged = {
    key: requestKey(requestId),
    versionId: await stageExchangeText(requestKey(requestId), text),
    sha256,
  };
  const at = earlier?.at ?? new Date().toISOString();
  const item: RequestItem = {
    kind: 'request',
    at,
    requestId,
    ...staged,
    size: Buffer.byteLength(text),
    ...(earlier?.announced !== undefined && { announced: earlier.announced }),
  };
  // Only one run is active. A late function of an aborted run must not overwrite what this one has recorded.
  const condition = earlier ? 'sha256 = :earlier' : 'attribute_not_exists(subject)';
  const values = earlier && { ':earlier': earlier.sha256 };
  const written = await exchangeTable.putItem({ ...key(requestId), ...item }, condition, values);
  return written ? { item, known: earlier?.announced !== undefined } : keepAgain(requestId, sha256);
}

/** Called when the condition of a write failed: another run wrote the item, or this write succeeded and its answer was lost. */
async function keepAgain(requestId: string, sha256: string): Promise<KeptRequest | undefined> {
  const item = await exchangeTable.getItem<RequestItem>(key(requestId));
  if (item?.sha256 !== sha256 || item.announced === sha256) return undefined;
  return { item, known: item.announced !== undefined };
}

/** Records that an event was published for this version of the request. */
export async function markAnnounced({ requestId, sha256 }: RequestItem): Promise<void> {
  await exchangeTable.updateItem(key(requestId), { announced: sha256 }, 'sha256 = :told', { ':told': sha256 });
}
