import { PassThrough, Readable } from 'node:stream';
import { buildQueryString, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { CarriedRequest } from './carried-request.ts';
import { CarriedResponse, type ResponseSink } from './carried-response.ts';
import { type CarriedHeaders, carriedHeaders, type Serve } from './http.ts';

/**
 * Request handler for SDK clients in the same thread as the embedded AWS. It handles requests like those over HTTP, but without a
 * socket and HTTP parsers, which cost more time than most operations.
 */
export class DirectRequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #serve: Serve;

  constructor(serve: Serve) {
    this.#serve = serve;
  }

  handle({ method, path, query, headers, body }: HttpRequest): Promise<{ response: HttpResponse }> {
    const search = buildQueryString(query);
    const url = search === '' ? path : `${path}?${search}`;
    const request = new CarriedRequest({ method, url, headers: carriedHeaders(headers) });
    addBody(request, body);
    return new Promise((resolve, reject) => {
      const sink = new DirectSink((response) => resolve({ response }), reject);
      const response = new CarriedResponse(sink);
      // If the client aborts the request or the response, the exchange ends.
      request.once('error', () => response.destroy());
      sink.body.once('close', () => response.destroy());
      void this.#serve(request, response);
    });
  }

  destroy(): void {
    // Nothing to close.
  }

  httpHandlerConfigs(): object {
    return {};
  }

  updateHttpClientConfig(): void {
    // Nothing to configure.
  }
}

function addBody(request: CarriedRequest, body: unknown): void {
  if (body instanceof Readable) {
    body.on('data', (piece: Buffer | string) => request.add(Buffer.from(piece)));
    body.once('end', () => request.add(null));
    body.once('error', (error) => request.destroy(error));
    return;
  }
  const bytes = bytesOf(body);
  if (bytes.length > 0) request.add(bytes);
  request.add(null);
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  // Not Buffer.from(body): a body of the SDK is a byte array that also acts as a string, and Buffer.from would use the string.
  const { buffer, byteOffset, byteLength } = body as Uint8Array;
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Passes a response to the waiting client. */
class DirectSink implements ResponseSink {
  readonly body = new PassThrough();
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: Error) => void;

  constructor(resolve: (response: HttpResponse) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  whole(status: number, headers: CarriedHeaders, body: Buffer): void {
    this.begin(status, headers);
    this.body.end(body);
  }

  begin(statusCode: number, headers: CarriedHeaders): void {
    this.#resolve(new HttpResponse({ statusCode, headers, body: this.body }));
  }

  piece(piece: Buffer, taken: () => void): void {
    if (this.body.write(piece)) taken();
    else this.body.once('drain', taken);
  }

  end(): void {
    this.body.end();
  }

  reset(): void {
    const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    this.#reject(error);
    // If nobody has received the response yet, the error must not end the process.
    this.body.on('error', () => undefined);
    this.body.destroy(error);
  }
}
