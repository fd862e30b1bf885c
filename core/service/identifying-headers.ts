import { randomBytes, randomUUID } from 'node:crypto';
import { getXrayTraceDataFromEnv } from '@aws-lambda-powertools/commons/utils/env';
import type { RequestContext } from '../errors.ts';

/**
 * Makes the headers of requests. A further request of the same call gets another ID; the first one keeps the ID that the ledger has
 * recorded. Without a release, requests do not identify their sender.
 */
export function identifyingHeaders(release: string | undefined) {
  const usedIds = new Set<string>();
  return (context: RequestContext): Record<string, string> => {
    if (usedIds.has(context.requestId)) context.requestId = randomUUID();
    usedIds.add(context.requestId);
    return release === undefined ? {} : headersOf(release, context.requestId);
  };
}

const headersOf = (release: string, requestId: string): Record<string, string> => ({
  'user-agent': `business-loan-orders/${release}`,
  // The service's support finds the request by it. Others ignore the header (RFC 9110, 5.1).
  'X-Request-Id': requestId,
  traceparent: traceparentOf(requestId),
});

/** W3C Trace Context: X-Ray's trace of the invocation, or else a trace whose ID is that of the request. Its parts are hexadecimal. */
function traceparentOf(requestId: string): string {
  const { Root = '', Parent = '', Sampled } = getXrayTraceDataFromEnv() ?? {};
  const [, time, random] = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/.exec(Root) ?? [];
  const trace = random === undefined ? requestId.replaceAll('-', '') : `${time}${random}`;
  const parent = /^[0-9a-f]{16}$/.test(Parent) ? Parent : randomBytes(8).toString('hex');
  return `00-${trace}-${parent}-${Sampled === '1' ? '01' : '00'}`;
}
