import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { withoutSecrets } from '../used-secrets.ts';
import { type Connection, PLAIN } from './connection.ts';

// Not an import: importing `node:http` also loads `fetch`, which takes a sixth of a cold start.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/**
 * One HTTP request over `node:http(s)`. We do not use `fetch`: its form data clones the body and has no backpressure, and it does not
 * report whether a connection was made, which the ledger needs.
 */
export interface HttpRequest {
  method: 'GET' | 'POST';
  url: URL;
  headers: Record<string, string | number>;
  body?: string | Buffer | Readable;
  /** Milliseconds that the call may be idle, also while it connects. */
  idleTimeout: number;
  /** Milliseconds that the whole call may take, including the response's body. */
  totalTimeout: number;
  /**
   * Whether to reuse an idle connection. Only reads do: if the server has closed the connection, the request fails after it was written, so
   * the outcome of a call that changes something would be unknown.
   */
  reuseConnection: boolean;
  /** Resolves the host's name. Default: Node's. */
  lookup?: LookupFunction;
  /** Trusted authorities and our client certificate for `https:`. Default: Node's root certificates, and no client certificate. */
  connection?: Connection;
}

export interface HttpResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Readable;
}

/** A call without a complete response. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  /** False only if it is certain that nothing was sent. */
  readonly requestSent: boolean;
  /** The beginning of a body that was cut short. */
  readonly received: string | undefined;

  constructor(message: string, requestSent: boolean, cause?: unknown, received?: string) {
    super(message, { cause });
    this.requestSent = requestSent;
    this.received = received;
  }

  /** The error that Node reported; undefined if there is none, for instance because the request could not be written. */
  get origin(): NodeJS.ErrnoException | undefined {
    return this.cause instanceof Error ? this.cause : undefined;
  }
}

const keptHttp = new HttpAgent({ keepAlive: true });

/**
 * The caller must read or destroy the response's body. @throws HttpFailure, and what `build` throws.
 * @param build makes the request anew for each attempt: a body can be read only once, and each request has an ID of its own.
 */
export async function sendRequest(build: () => Promise<HttpRequest>): Promise<HttpResponse> {
  try {
    return await attempt(await build());
  } catch (error) {
    if (!(error instanceof HttpFailure && error.cause instanceof StaleConnection)) throw error;
    return attempt({ ...(await build()), reuseConnection: false });
  }
}

class StaleConnection extends Error {}

/**
 * Milliseconds to connect to one address before the next is tried. Node gives up the first one then, and its default of 250 ms fails on slow
 * networks (nodejs/node#54359). A lost packet is sent again after one and three seconds (RFC 6298, 2.1 and 5.5).
 */
const CONNECT_ATTEMPT = 4_000;

/** Creates a request. If this fails, for instance because a header is invalid, nothing was sent. */
function open(create: typeof httpRequest, options: HttpRequest, agent: Agent | false) {
  const { url, method, body, idleTimeout, lookup } = options;
  // Without it, any coding is welcome (RFC 9110, 12.5.3).
  const headers = { 'accept-encoding': 'identity', ...options.headers };
  // The timeout counts while the agent connects.
  const connecting = { agent, timeout: idleTimeout, autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT, lookup };
  try {
    return create(url, { method, headers, ...connecting });
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    // Only the code: the message may quote the header.
    const { code = (error as Error).name } = error as NodeJS.ErrnoException;
    throw new HttpFailure(`the request could not be written: ${code}`, false);
  }
}

function attempt(options: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const secure = options.url.protocol === 'https:';
    const request = open(secure ? httpsRequest : httpRequest, options, agentFor(options, secure));
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
      const cause = request.reusedSocket && options.reuseConnection ? new StaleConnection() : error;
      reject(new HttpFailure(describe(error), connection.established, cause));
    });
    request.on('response', (body) => {
      // The timeout includes the body, so it runs until the body ends or fails.
      body.once('close', () => clearTimeout(timer));
      const headers = JSON.parse(withoutSecrets(JSON.stringify(body.headers))) as HttpResponse['headers'];
      resolve({ status: body.statusCode ?? 0, headers, body });
    });
    sendBody(request, options.body);
  });
}

function agentFor({ reuseConnection, connection = PLAIN }: HttpRequest, secure: boolean): Agent | false {
  if (!secure) return reuseConnection && keptHttp;
  return reuseConnection ? connection.kept : connection.fresh;
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
  // A service may answer before it has read the whole file, for instance with 413. Then the response counts.
  pipeline(body, request).catch((error: Error) => {
    if (!answered) request.destroy(error);
  });
}

/** Watches whether the connection is established, including TLS. Until then nothing was sent. */
function watchConnection(request: ClientRequest, secure: boolean): { established: boolean } {
  const connection = { established: false };
  request.on('socket', (socket) => {
    if (!socket.connecting) connection.established = true;
    else socket.once(secure ? 'secureConnect' : 'connect', () => (connection.established = true));
  });
  return connection;
}

export function describe(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code ? `${code}: ${error.message}` : error.message;
}
