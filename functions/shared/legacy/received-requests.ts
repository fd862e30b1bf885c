import { createHash } from 'node:crypto';
import { exchangeKey, requestKey, stageExchangeText } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

/** The item `request` of subject `request#<requestId>`: a request that the service gave, and where it is staged. */
export interface RequestItem {
  kind: 'request';
  /** When it was received first. */
  at: string;
  requestId: string;
  key: string;
  versionId: string;
  /** Hex, of the staged text. */
  sha256: string;
  /** Bytes. */
  size: number;
  /** The SHA-256 of what was last told to whoever listens; absent until the first event. */
  announced?: string;
}

/** One element of `GET /requests`, as it came. */
export interface ReceivedRequest {
  requestId: string | undefined;
  text: string;
  sha256: string;
}

export function receivedRequest(text: string): ReceivedRequest {
  const { requestId } = (JSON.parse(text) ?? {}) as { requestId?: unknown };
  const usable = (typeof requestId === 'string' && requestId !== '') || Number.isSafeInteger(requestId);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { requestId: usable ? String(requestId) : undefined, text, sha256 };
}

const key = (requestId: string) => ({ subject: `request#${requestId}`, item: 'request' });

/**
 * Stages a request and records it, once. What is recorded is staged; what came again unchanged is left alone. An element without a
 * usable `requestId` is set apart under its hash.
 * @returns what is still to be told to whoever listens, with whether they have heard of this request before.
 */
export async function keepRequest({
  requestId,
  text,
  sha256,
}: ReceivedRequest): Promise<{ item: RequestItem; known: boolean } | undefined> {
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
  // Only one run is at work; a function of an aborted one may be late, and then has nothing to add.
  const condition = earlier ? 'sha256 = :earlier' : 'attribute_not_exists(subject)';
  const values = earlier && { ':earlier': earlier.sha256 };
  const written = await exchangeTable.putItem({ ...key(requestId), ...item }, condition, values);
  return written ? { item, known: earlier?.announced !== undefined } : keepAgain(requestId, sha256);
}

/** Whoever wrote it, possibly this very write whose answer was lost: what is recorded now is what is to be told. */
async function keepAgain(
  requestId: string,
  sha256: string,
): Promise<{ item: RequestItem; known: boolean } | undefined> {
  const item = await exchangeTable.getItem<RequestItem>(key(requestId));
  if (item?.sha256 !== sha256 || item.announced === sha256) return undefined;
  return { item, known: item.announced !== undefined };
}

/** Whoever listens has heard of the request as it stands. */
export async function markAnnounced({ requestId, sha256 }: RequestItem): Promise<void> {
  await exchangeTable.updateItem(key(requestId), { announced: sha256 }, 'sha256 = :told', { ':told': sha256 });
}
