import { createHash } from 'node:crypto';
import { exchangeKey, publishExchangeText, requestKey } from './exchange-staging.ts';
import { exchangeTable } from './exchange-table.ts';

export type ReceivedRequest = ReturnType<typeof receivedRequest>;

/** One element of `GET /requests`. `requestId` is undefined if it is missing or unusable. `sha256` is hexadecimal. */
export function receivedRequest(text: string) {
  const { requestId } = (JSON.parse(text) ?? {}) as { requestId?: unknown };
  const usable = (typeof requestId === 'string' && requestId !== '') || Number.isSafeInteger(requestId);
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { requestId: usable ? String(requestId) : undefined, text, sha256 };
}

/**
 * Stages a request, then records it. Skips a request that has not changed. An element without a usable `requestId` is staged
 * separately, under its hash.
 * @returns whether the request is new or changed.
 */
export async function stageRequest({ requestId, text, sha256 }: ReceivedRequest): Promise<boolean> {
  if (requestId === undefined) {
    await publishExchangeText(exchangeKey(`requests-unusable/${sha256}.json`), text);
    return false;
  }
  // The item contains the hash of the staged text.
  const key = { subject: `request#${requestId}`, item: 'request' };
  const earlier = await exchangeTable.getItem<Pick<ReceivedRequest, 'sha256'>>(key);
  if (earlier?.sha256 === sha256) return false;
  await publishExchangeText(requestKey(requestId), text);
  // A function of an aborted run may still be running. It must not overwrite what the active run has recorded.
  const condition = earlier ? 'sha256 = :earlier' : 'attribute_not_exists(subject)';
  await exchangeTable.putItem({ ...key, sha256 }, condition, earlier && { ':earlier': earlier.sha256 });
  return true;
}
