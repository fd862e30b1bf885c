import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { Call } from './protocol/call.ts';
import { AwsError } from './protocol/operation.ts';

/** A request to the embedded AWS, for a wrapper. */
export interface AwsRequest {
  /** The prefix of `X-Amz-Target` (`DynamoDB_20120810`, `secretsmanager`, …), or `S3` for every request without one. */
  service: string;
  /** For example `PutItem`; for S3 the HTTP method. */
  operation: string;
  /** Path and query. */
  path: string;
  /** JSON, or a form; empty for S3. */
  body: string;
  /** The access key that signed the request. A function's access key is its name. */
  accessKeyId: string;
}

/** An error, or a closed connection (`reset`), in place of the service's answer. */
export type RequestFault = { status: number; code: string } | 'reset';

/**
 * Wraps every request to the embedded AWS. Returns the fault to answer with, or undefined to serve the request as usual. `serve`
 * executes the request without answering it, for faults after the work is done.
 */
export type RequestWrapper = (request: AwsRequest, serve: () => Promise<void>) => Promise<RequestFault | undefined>;

export async function serveWrapped(wrapper: RequestWrapper, serve: (call: Call) => Promise<void>, call: Call) {
  const { request, operation, body, accessKeyId } = call;
  const service = request.headers['x-amz-target']?.toString().split('.')[0] ?? 'S3';
  const seen = { service, operation, path: request.url ?? '/', body, accessKeyId };
  const response = new LostResponse() as unknown as ServerResponse;
  // An error is lost like any other answer.
  const fault = await wrapper(seen, () => serve({ ...call, response }).catch(() => undefined));
  if (fault === undefined) return serve(call);
  if (fault !== 'reset') throw new AwsError(fault.code, `${fault.code}, injected by the request wrapper`, fault.status);
  call.response.destroy();
}

/** Discards a response. */
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
