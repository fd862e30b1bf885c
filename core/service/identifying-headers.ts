import { randomBytes, randomUUID } from 'node:crypto';
import { getXrayTraceDataFromEnv } from '@aws-lambda-powertools/commons/utils/env';
import type { RequestContext } from '../errors.ts';

/** Makes the headers of requests. Each request has an ID of its own. */
export class IdentifyingHeaders {
  private readonly release: string | undefined;
  private readonly usedIds = new Set<string>();

  /** Without a release, requests do not say who sends them. */
  constructor(release: string | undefined) {
    this.release = release;
  }

  /** A further request of the same call gets another ID. The first one keeps the ID that the ledger has recorded. */
  of(context: RequestContext): Record<string, string> {
    if (this.usedIds.has(context.requestId)) context.requestId = randomUUID();
    this.usedIds.add(context.requestId);
    return this.release === undefined ? {} : headersOf(this.release, context.requestId);
  }
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
