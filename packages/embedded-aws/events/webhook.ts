import type { Json } from '../protocol/operation.ts';

export interface Webhook {
  arn: string;
  address: string;
  method: string;
  headers: Record<string, string>;
}

/** EventBridge's timeout for API destinations. Milliseconds. */
const LONGEST_CALL = 5_000;

/** Sends an event to the webhook once. AWS would retry for a day. Rejects if the answer is not 2xx. */
export async function callWebhook({ address, method, headers }: Webhook, input: Json): Promise<void> {
  const { ok, status } = await fetch(address, {
    method,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Amazon/EventBridge/ApiDestinations',
      ...headers,
    },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(LONGEST_CALL),
  });
  if (!ok) throw new Error(`${address} answered with ${status}.`);
}
