import { createHash } from 'node:crypto';
import { exchangeKey, requestKey, stageExchangeText } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

/** The item `request` of subject `request#<requestId>`. */
interface RequestItem {
  /** SHA-256 of the staged text, in hexadecimal. */
  sha256: string;
}

/** One element of `GET /requests`. */
export interface ReceivedRequest {
  /** Undefined if the element has none that can be used. */
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

/**
 * Stages a request, then records it. Skips a request that has not changed. Stages an element without a usable `requestId`
 * separately, under its hash.
 * @returns whether the request is new or changed.
 */
export async function keepRequest({ requestId, text, sha256 }: ReceivedRequest): Promise<boolean> {
  if (requestId === undefined) {
    await stageExchangeText(exchangeKey(`requests-unusable/${sha256}.json`), text);
    return false;
  }
  const key = { subject: `request#${requestId}`, item: 'request' };
  const earlier = await exchangeTable.getItem<RequestItem>(key);
  if (earlier?.sha256 === sha256) return false;
  await stageExchangeText(requestKey(requestId), text);
  // Only one run is active. A late function of an aborted run must not overwrite what this one has recorded.
  const condition = earlier ? 'sha256 = :earlier' : 'attribute_not_exists(subject)';
  await exchangeTable.putItem({ ...key, sha256 }, condition, earlier && { ':earlier': earlier.sha256 });
  return true;
}
