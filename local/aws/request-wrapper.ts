import { type IncomingMessage, ServerResponse } from 'node:http';
import { AwsError } from './errors.ts';
import { readBody, sendError } from './json-service.ts';
import { S3Error } from './s3/s3-error.ts';
import { sendS3Error } from './s3/service.ts';

/** One request to the embedded AWS, as a wrapper sees it. */
export interface AwsRequest {
  /** The prefix of `X-Amz-Target` (`DynamoDB_20120810`, `secretsmanager`, …), or `S3` for every request without one. */
  service: string;
  /** `PutItem`, say; of S3 the HTTP method. */
  operation: string;
  /** With its query. */
  path: string;
  /** The JSON of a request with a target; empty for any other. */
  body: string;
  /** Who asks: the access key of its signature, which for a function is the function's name. */
  accessKeyId: string;
}

/** What the client gets in place of the service's answer: an error, or a connection that breaks off. */
export type RequestFault = { status: number; code: string } | 'reset';

/**
 * Stands around every request to the embedded AWS. Without a fault the request is served as ever. `serve` carries the request out
 * and keeps its answer back: a fault that is returned after it is one that came after the service had done its part.
 */
export type RequestWrapper = (request: AwsRequest, serve: () => Promise<void>) => Promise<RequestFault | undefined>;

export type Serve = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Serves one request with the wrapper around it. */
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
    // The client broke its own request off (there is nobody to answer), or the wrapper itself failed.
    sendError(response, error);
  }
}

function describe(request: IncomingMessage, body: string): AwsRequest {
  const target = request.headers['x-amz-target'];
  const [service = 'S3', operation = request.method ?? ''] = typeof target === 'string' ? target.split('.') : [];
  return { service, operation, path: request.url ?? '/', body, accessKeyId: accessKeyOf(request) };
}

/** The access key that signed the request; empty when none did. */
export function accessKeyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
}

async function serveInSilence(serve: Serve, request: IncomingMessage): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const silent = new ServerResponse(request);
  silent.write = () => true;
  silent.end = () => {
    answered.resolve();
    return silent;
  };
  // A body that is piped into this response waits for the end of a stream that has none.
  await Promise.race([serve(request, silent), answered.promise]);
  await answered.promise;
}

function sendFault(fault: RequestFault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'reset') {
    response.destroy();
    return;
  }
  const { code, status } = fault;
  const message = `${code}, as it was asked for`;
  if (typeof request.headers['x-amz-target'] === 'string') sendError(response, new AwsError(code, message, status));
  else sendS3Error(request, response, new S3Error(code, message, status), '0');
}
