import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { Call } from './protocol/call.ts';
import { AwsError } from './protocol/operation.ts';

/** One request to the embedded AWS, as a wrapper sees it. */
export interface AwsRequest {
  /** The prefix of `X-Amz-Target` (`DynamoDB_20120810`, `secretsmanager`, …), or `S3` for every request without one. */
  service: string;
  /** For example `PutItem`; for S3 the HTTP method. */
  operation: string;
  /** Includes the query. */
  path: string;
  /** JSON, or a form; empty for S3. */
  body: string;
  /** The access key that signed the request. A function's access key is its name. */
  accessKeyId: string;
}

/** What the client gets instead of the service's answer: an error, or a closed connection. */
export type RequestFault = { status: number; code: string } | 'reset';

/**
 * Wraps every request to the embedded AWS. The result is the fault to answer with, or undefined to serve the request as usual. `serve`
 * executes the request without answering it, for a fault after the service has done the work.
 */
export type RequestWrapper = (request: AwsRequest, serve: () => Promise<void>) => Promise<RequestFault | undefined>;

/** Carries out one call through the wrapper. Throws an AwsError. */
export async function serveWrapped(wrapper: RequestWrapper, serve: (call: Call) => Promise<void>, call: Call) {
  const { request, operation, body, accessKeyId } = call;
  const service = request.headers['x-amz-target']?.toString().split('.')[0] ?? 'S3';
  const seen = { service, operation, path: request.url ?? '/', body, accessKeyId };
  const response = new LostResponse() as unknown as ServerResponse;
  // If the service refuses the request, its error is lost, as any other answer would be.
  const fault = await wrapper(seen, () => serve({ ...call, response }).catch(() => undefined));
  if (fault === undefined) return serve(call);
  if (fault !== 'reset') throw new AwsError(fault.code, `${fault.code}, injected by the request wrapper`, fault.status);
  call.response.destroy();
}

/** A response that is never sent. */
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
