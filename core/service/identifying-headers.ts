import { randomBytes, randomUUID } from 'node:crypto';
import { getXrayTraceDataFromEnv } from '@aws-lambda-powertools/commons/utils/env';
import type { RequestContext } from '../errors.ts';

/** How a request says who sends it, and which one it is. */
export interface Identity {
  /** The header that has the request's ID. Undefined if the service refuses headers that it does not know. */
  requestIdHeader: string | undefined;
  /** Whether requests carry `traceparent` (W3C Trace Context). */
  traceparent: boolean;
  release: string;
}

/** Makes the headers of requests. Each request has an ID of its own. */
export class IdentifyingHeaders {
  private readonly identity: Identity | undefined;
  private readonly usedIds = new Set<string>();

  constructor(identity: Identity | undefined) {
    this.identity = identity;
  }

  /** A further request of the same call gets another ID. The first one keeps the ID that the ledger has recorded. */
  of(context: RequestContext): Record<string, string> {
    if (this.usedIds.has(context.requestId)) context.requestId = randomUUID();
    this.usedIds.add(context.requestId);
    return this.identity ? headersOf(this.identity, context.requestId) : {};
  }
}

function headersOf(identity: Identity, requestId: string): Record<string, string> {
  const { requestIdHeader, release } = identity;
  return {
    'user-agent': `business-loan-orders/${release}`,
    ...(requestIdHeader !== undefined && { [requestIdHeader]: requestId }),
    ...(identity.traceparent && { traceparent: traceparentOf(requestId) }),
  };
}

/** X-Ray's trace of the invocation, or else a trace whose ID is that of the request. Its parts are hexadecimal. */
function traceparentOf(requestId: string): string {
  const { Root = '', Parent = '', Sampled } = getXrayTraceDataFromEnv() ?? {};
  const [, time, random] = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/.exec(Root) ?? [];
  const trace = random === undefined ? requestId.replaceAll('-', '') : `${time}${random}`;
  const parent = /^[0-9a-f]{16}$/.test(Parent) ? Parent : randomBytes(8).toString('hex');
  return `00-${trace}-${parent}-${Sampled === '1' ? '01' : '00'}`;
}
