import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file of a multipart request, without its bytes. */
export interface RecordedFile {
  field: string;
  name: string;
  contentType: string;
  /** Bytes. */
  size: number;
  sha256: string;
}

export type RecordedBody =
  | { kind: 'json'; value: unknown; text: string }
  | { kind: 'form'; fields: Record<string, unknown> }
  | { kind: 'multipart'; fields: Record<string, string>; files: readonly RecordedFile[] };

/** A call that the simulator received. It never contains a token, a client secret or the bytes of a file. */
export interface RecordedCall {
  /** 1, 2, ... in order of arrival. */
  sequence: number;
  /** Milliseconds since the epoch. */
  at: number;
  method: string;
  /** Without the query. */
  path: string;
  /** Absent if there was none. */
  query?: Record<string, unknown>;
  /** The path in the contract, such as `/v1/orders/{orderId}`. Absent if no route matched. */
  route?: string;
  /** From the path; for create order, from the answer. */
  orderId?: string;
  /** The headers. Secrets are replaced. */
  requestHeaders: IncomingHttpHeaders;
  /** Absent if there was none, or if the call was refused before its body was read. */
  requestBody?: RecordedBody;
  /** Claim `jti` of the token. */
  tokenId?: string;
  /** For a read that came too early: seconds left of the previous read's `pollAfterSeconds`. */
  earlyBySeconds?: number;
  /** Absent until the call is answered. Stays absent if the connection was lost before. */
  status?: number;
  responseContentType?: string;
  /** The body of a JSON answer. `access_token` is hidden. */
  responseBody?: unknown;
}

const HIDDEN = '(hidden)';

const secretFields = new Set([
  'authorization',
  'client_secret',
  'client_assertion',
  'password',
  'access_token',
  'refresh_token',
]);

/** Records a new request. Routes and `recordAnswer` add to the same object later. */
export function recordCall(calls: RecordedCall[], request: FastifyRequest, at: number): RecordedCall {
  const { orderId } = (request.params ?? {}) as { orderId?: string };
  const route = request.routeOptions.url?.replace(/:(\w+)/g, '{$1}');
  const query = hideSecrets(request.query) as Record<string, unknown>;
  const call: RecordedCall = {
    sequence: calls.length + 1,
    at,
    method: request.method,
    path: request.url.split('?', 1)[0] ?? '',
    ...(Object.keys(query ?? {}).length > 0 && { query }),
    ...(route !== undefined && { route }),
    ...(orderId !== undefined && { orderId }),
    requestHeaders: hideSecrets(request.headers) as IncomingHttpHeaders,
  };
  calls.push(call);
  return call;
}

/** Adds the answer to a recorded call. `payload` is a string for JSON, and may be a stream or a buffer otherwise. */
export function recordAnswer(call: RecordedCall, reply: FastifyReply, payload: unknown): void {
  call.status = reply.statusCode;
  const contentType = reply.getHeader('content-type');
  if (typeof contentType !== 'string') return;
  call.responseContentType = contentType;
  if (contentType.startsWith('application/json') && typeof payload === 'string' && payload !== '') {
    call.responseBody = hideSecrets(JSON.parse(payload));
  }
}

/** Replaces secrets in the top-level fields of an object. */
export function hideSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, content]) => [name, secretFields.has(name) ? HIDDEN : content]),
  );
}
