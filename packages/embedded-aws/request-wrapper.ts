import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { LambdaService } from './lambda/service.ts';
import { AwsError } from './protocol/errors.ts';
import { accessKeyOf, readBody, type Serve } from './protocol/http.ts';
import { sendError } from './protocol/json-service.ts';
import { isQueryRequest, sendQueryError } from './protocol/query-service.ts';
import { sendS3Error } from './s3/service.ts';

/** One request to the embedded AWS, as a wrapper sees it. */
export interface AwsRequest {
  /** The prefix of `X-Amz-Target` (`DynamoDB_20120810`, `secretsmanager`, …), or `S3` for every request without one. */
  service: string;
  /** For example `PutItem`; for S3 the HTTP method. */
  operation: string;
  /** Includes the query. */
  path: string;
  /** The JSON of a request with a target; empty for any other. */
  body: string;
  /** The access key that signed the request. A function's access key is its name. */
  accessKeyId: string;
}

/** What the client gets instead of the service's answer: an error, or a closed connection. */
export type RequestFault = { status: number; code: string } | 'reset';

/**
 * Wraps every request to the embedded AWS. The result is the fault to answer with, or undefined to serve the request as usual.
 * `serve` carries the request out without answering it, for a fault that comes after the service has done its part.
 */
export type RequestWrapper = (request: AwsRequest, serve: () => Promise<void>) => Promise<RequestFault | undefined>;

/** Serves one request through the wrapper. */
export async function serveWrapped(
  wrapper: RequestWrapper,
  serve: Serve,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const target = request.headers['x-amz-target'];
    const body = typeof target === 'string' ? (await readBody(request)).toString() : '';
    const fault = await wrapper(describe(request, body), () => serveInSilence(serve, request));
    if (fault) sendFault(fault, request, response);
    else await serve(request, response);
  } catch (error) {
    // The wrapper failed, or the client has closed its connection.
    sendError(response, error);
  }
}

function describe(request: IncomingMessage, body: string): AwsRequest {
  const target = request.headers['x-amz-target'];
  const [service = 'S3', operation = request.method ?? ''] = typeof target === 'string' ? target.split('.') : [];
  return { service, operation, path: request.url ?? '/', body, accessKeyId: accessKeyOf(request) };
}

async function serveInSilence(serve: Serve, request: IncomingMessage): Promise<void> {
  const lost = new LostResponse();
  const answered = once(lost, 'close');
  await serve(request, lost as unknown as ServerResponse);
  await answered;
}

/** A response that nobody gets. */
class LostResponse extends Writable {
  headersSent = false;

  setHeader(): this {
    return this;
  }

  writeHead(): this {
    this.headersSent = true;
    return this;
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, written: () => void): void {
    written();
  }
}

function sendFault(fault: RequestFault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'reset') {
    response.destroy();
    return;
  }
  const { code, status } = fault;
  sendErrorOf(request, response, new AwsError(code, `${code}, injected by the request wrapper`, status));
}

/** Whether the request belongs to no other service. */
export function isS3Request(request: IncomingMessage): boolean {
  if (typeof request.headers['x-amz-target'] === 'string') return false;
  return !LambdaService.serves(request.url ?? '/') && !isQueryRequest(request);
}

/** Sends an error in the format of the service that the request is for. */
export function sendErrorOf(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (isS3Request(request)) sendS3Error(request, response, error, '0');
  else if (isQueryRequest(request)) sendQueryError(response, error);
  else sendError(response, error, request.headers['content-type']);
}
