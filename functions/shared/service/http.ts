import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

// An import takes every export of a module, and those of `node:http` bring `fetch` with all its parts: a sixth of a cold start.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/**
 * One HTTP request over `node:http(s)`. Not `fetch`: its form data clones the body and has no backpressure
 * (docs/decisions.md), and it hides whether a connection was ever made, which the ledger must know.
 */
export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string | number>;
  body?: string | Readable;
  /** Milliseconds without any progress, connecting included, before the call is given up. */
  idleTimeout: number;
  /** Milliseconds for the whole exchange up to the response's headers and, through `readText`, its body. */
  totalTimeout: number;
  /**
   * Reuse an idle connection. Reads do; calls that change something never: an idle connection that the other side has
   * closed fails after the request was written, and nobody could tell what became of it.
   */
  reuseConnection: boolean;
}

export interface HttpResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: IncomingMessage;
}

/** A call that got no complete response. `requestSent` is false only where it is certain that nothing was sent. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly requestSent: boolean;
  /** What came of the body before it was cut short. */
  received: string | undefined;

  constructor(message: string, requestSent: boolean, cause?: unknown) {
    super(message, { cause });
    this.requestSent = requestSent;
  }
}

const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new HttpsAgent({ keepAlive: true }) };

/** Sends one request; throws {@link HttpFailure}. The caller must consume or destroy `body`. */
export async function sendRequest(options: HttpRequest): Promise<HttpResponse> {
  try {
    return await attempt(options);
  } catch (error) {
    const staleConnection = error instanceof HttpFailure && error.cause instanceof StaleConnection;
    if (staleConnection && !(options.body instanceof Readable)) return attempt({ ...options, reuseConnection: false });
    throw error;
  }
}

class StaleConnection extends Error {}

/** A request that can't even be written, such as one with a header that no header can be, is certainly not sent. */
function open(create: typeof httpRequest, { url, method, headers, body }: HttpRequest, agent: Agent | false) {
  try {
    return create(url, { method, headers, agent });
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    // Not the error's own words, which may quote the header.
    const { code = (error as Error).name } = error as NodeJS.ErrnoException;
    throw new HttpFailure(`the request could not be written: ${code}`, false);
  }
}

function attempt(options: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const secure = options.url.protocol === 'https:';
    const agent = options.reuseConnection ? agents[secure ? 'https:' : 'http:'] : false;
    const request = open(secure ? httpsRequest : httpRequest, options, agent);
    const connection = watchConnection(request, secure);
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${options.totalTimeout} ms`)),
      options.totalTimeout,
    );
    request.setTimeout(options.idleTimeout, () =>
      request.destroy(new Error(`no progress for ${options.idleTimeout} ms`)),
    );
    request.on('error', (error) => {
      clearTimeout(timer);
      const cause = request.reusedSocket && options.reuseConnection ? new StaleConnection('', { cause: error }) : error;
      reject(new HttpFailure(describe(error), connection.established, cause));
    });
    request.on('response', (body) => {
      // The body is read under the same deadline: it ends when the body does, or with the message's own error.
      body.once('close', () => clearTimeout(timer));
      resolve({ status: body.statusCode ?? 0, headers: body.headers, body });
    });
    sendBody(request, options.body);
  });
}

function sendBody(request: ClientRequest, body: HttpRequest['body']): void {
  if (!(body instanceof Readable)) {
    request.end(body);
    return;
  }
  let answered = false;
  request.once('response', () => {
    answered = true;
  });
  // A service may answer before it has read the whole file (a 413, say): the response counts, not the broken pipe.
  pipeline(body, request).catch((error: Error) => {
    if (!answered) request.destroy(error);
  });
}

/** A request is certainly unsent until its connection stands (TLS included). */
function watchConnection(request: ClientRequest, secure: boolean): { established: boolean } {
  const connection = { established: false };
  request.on('socket', (socket) => {
    if (!socket.connecting) connection.established = true;
    else socket.once(secure ? 'secureConnect' : 'connect', () => (connection.established = true));
  });
  return connection;
}

function describe(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code ? `${code}: ${error.message}` : error.message;
}

/**
 * The body as text, as far as `limit` bytes go; `isWhole` says whether that is all of it.
 * @throws HttpFailure when the body is cut short.
 */
export async function readText(response: HttpResponse, limit: number): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) break;
    }
  } catch (error) {
    const failure = new HttpFailure(`the response was cut short: ${describe(error as Error)}`, true, error);
    failure.received = textOf(chunks, limit);
    throw failure;
  }
  return { text: textOf(chunks, limit), isWhole: size <= limit };
}

function textOf(chunks: Buffer[], limit: number): string {
  return Buffer.concat(chunks).subarray(0, limit).toString('utf8');
}
