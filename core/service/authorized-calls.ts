import { addAbortSignal, type Readable } from 'node:stream';
import { type CallContext, OrderError, rebuilt, ServiceUnavailable, Throttled, Unauthorized } from '../errors.ts';
import { uncoded } from '../http/answer-body.ts';
import { type Connections, stageConnections } from '../http/connections.ts';
import type { HttpRequest, HttpResponse } from '../http/http.ts';
import { sendSecurely } from '../http/send-securely.ts';
import { count } from '../metrics.ts';
import { callSettings, fileSettings } from '../settings.ts';
import { hideSecret } from '../used-secrets.ts';
import { identifyingHeaders } from './identifying-headers.ts';
import { type CallKind, failureOf, readBody, throwFailure } from './service-failures.ts';
import { isChange, SUCCESSES, TOKEN_REPLACEMENTS } from './what-answers-prove.ts';

/*
 * One call of a step may become several requests to the service. From the inside out:
 *
 * 1. `core/http/http.ts` (`sendRequest`): the other side had closed a kept connection. Only calls that change nothing reuse one.
 * 2. `core/http/send-securely.ts`: the client certificate was refused, and its secret has another one. Nothing was done then.
 * 3. `send`, below: 401 or 403. The token was replaced or has expired early. Both come before the work (assumed).
 * 4. `core/ledger/perform-operation.ts`: the state machine or an operator runs the step again, also after a `Retry-After`. If the last
 *    attempt's outcome is unknown, the ledger looks first, and the attempt is sent again only if that is safe.
 *
 * Requests 1 to 3 belong to one attempt of the ledger. They have the same `CallContext`, which has the ID of the last of them, and count
 * as one call in `CallLatency` and in the log. A token is requested apart, once for all functions.
 */

export interface TokenSource {
  token(): Promise<string>;
  /**
   * Returns a new token after the service refused this one with a status. If this one was just issued in place of a refused one, a newer one
   * would be refused, too: returns this one after a 403, and undefined after a 401.
   * @throws ServiceUnavailable while no function may request a token because of that.
   */
  replace(refused: string, status: number): Promise<string | undefined>;
}

export interface AuthorizedCallsOptions {
  /** Address of the service. Each call's path is added to it. */
  baseUrl: string;
  tokens: TokenSource;
  /** The release that requests name as their sender. Default: none. */
  release?: string | undefined;
  /** Trusted authorities and our client certificate. Default: Node's root certificates, and no client certificate. */
  connections?: Connections | undefined;
  /** Milliseconds that a call without a file may take. */
  callTimeout: number;
  /** Milliseconds that a call with a file may take, including the transfer. */
  fileTimeout: number;
  /** Milliseconds that a call with a file may be idle. */
  fileIdleTimeout: number;
}

export interface Call extends CallKind {
  context: CallContext;
  method: 'GET' | 'POST';
  /** Path and query, below the base address. */
  path: string;
  /** The statuses that mean success, if no body proves it. Default: those of its kind, or any 2xx. */
  success?: readonly number[] | undefined;
  file?: boolean;
  body?: () => Promise<{ headers: Record<string, string | number>; body: string | Readable }>;
}

/** The options that are the same for every service that a stage calls. */
export const stageCalls = () => ({
  connections: stageConnections(),
  callTimeout: callSettings.timeoutMilliseconds,
  fileTimeout: fileSettings.timeoutMilliseconds,
  fileIdleTimeout: callSettings.fileIdleTimeoutMilliseconds,
});

/** Calls a service with a Bearer token and a timeout. Throws the errors of `errors.ts`. */
export function authorizedCalls(options: AuthorizedCallsOptions) {
  const { tokens, connections, release } = options;
  const headersOf = identifyingHeaders(release);
  const attempt = (call: Call, token: string) =>
    sendSecurely(connections, isChange(call), () => requestOf(call, token, headersOf, options)).catch(
      throwFailure(call),
    );
  /** Returns the successful response. The caller must read or drain its body. */
  const send = async (call: Call): Promise<HttpResponse> => {
    let token = await tokenFor(call, () => tokens.token());
    let response = await attempt(call, token);
    // Counted apart: a gateway's single 403 may follow the 401 of a token that has expired.
    const left = { ...TOKEN_REPLACEMENTS };
    while ((left[response.status] ?? 0) > 0) {
      const { status, body } = response;
      left[status] = (left[status] ?? 0) - 1;
      const next = await tokenFor(call, () => tokens.replace(token, status));
      if (next === undefined) break;
      body.resume();
      count('CallsSentAgain', { cause: 'TokenRefused' });
      token = next;
      response = await attempt(call, token);
    }
    if (isSuccess(response.status, call)) return response;
    throw await failureOf(response, call);
  };
  return {
    send,
    /** Returns the successful response and its body as text, by {@link readBody}: empty if its status is `enough` and it cannot be read. */
    sendForText: async (call: Call, enough: readonly number[] = []) => {
      const response = await send(call);
      const unread = enough.includes(response.status) ? () => '' : throwFailure(call, response.headers.location);
      return { response, text: await readBody(response, call).catch(unread) };
    },
    /** Returns the successful response with its body decoded. `content-length` is absent if the length is not known. */
    sendForFile: async (call: Call): Promise<HttpResponse> => {
      const response = await send(call);
      const { body, isCoded, problem } = uncoded(response);
      if (problem !== undefined) throw await failureOf(response, call, `but ${problem}`);
      if (!isCoded) return response;
      const coded = ['content-encoding', 'transfer-encoding', 'content-length'];
      const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => !coded.includes(name)));
      // Few bytes may become many. By then, the request's own timeout may have ended.
      return { ...response, headers, body: addAbortSignal(AbortSignal.timeout(options.fileTimeout), body) };
    },
    /** For calls whose response body the specification does not show: checks the status and ignores the body. */
    sendForStatus: async (call: Call): Promise<void> => {
      const { body } = await send(call);
      body.on('error', () => body.destroy());
      body.resume();
    },
  };
}

async function requestOf(
  call: Call,
  token: string,
  headersOf: ReturnType<typeof identifyingHeaders>,
  { baseUrl, callTimeout, fileTimeout, fileIdleTimeout }: AuthorizedCallsOptions,
): Promise<HttpRequest> {
  const content = call.body && (await prepare(call, call.body));
  hideSecret(token);
  return {
    method: call.method,
    url: new URL(baseUrl.replace(/\/$/, '') + call.path),
    headers: {
      authorization: `Bearer ${token}`,
      ...headersOf(call.context),
      ...(call.context.idempotency && { [call.context.idempotency.header]: call.context.idempotency.key }),
      accept: call.file && call.method === 'GET' ? '*/*' : 'application/json',
      ...(call.method === 'POST' && !content && { 'content-length': 0 }),
      ...content?.headers,
    },
    ...(content && { body: content.body }),
    idleTimeout: call.file ? fileIdleTimeout : callTimeout,
    totalTimeout: call.file ? fileTimeout : callTimeout,
    reuseConnection: !isChange(call),
  };
}

const isSuccess = (status: number, { kind, success = SUCCESSES[kind] }: Call): boolean =>
  success === undefined ? status >= 200 && status < 300 : success.includes(status);

/**
 * Gets a token for a call. If the authorization service fails, the call was not sent. So its status is removed from the error:
 * it would look like an answer to the call. Its `Retry-After` becomes a wait for a token: the shared item keeps that, not the order.
 */
function tokenFor<Token>(call: Call, get: () => Promise<Token>): Promise<Token> {
  return prepare(call, async () => {
    try {
      return await get();
    } catch (error) {
      if (!(error instanceof OrderError) || error instanceof Unauthorized) throw error;
      const { message } = error;
      // If there was a request, it was the one for the token.
      const { requestId: _unused, ...context } = call.context;
      const facts = { ...context, httpStatus: undefined };
      if (error instanceof Throttled) {
        const { retryAfterSeconds: tokenWaitSeconds } = error.call;
        throw rebuilt(Throttled, message, error, { ...facts, retryAfterSeconds: undefined, tokenWaitSeconds });
      }
      if (error instanceof ServiceUnavailable && error.call.httpStatus === undefined) throw error;
      const failure = `${call.title}: there is no token. ${message} Nothing was sent.`;
      throw rebuilt(ServiceUnavailable, failure, error, facts);
    }
  });
}

/**
 * Prepares a call. A failure proves to the ledger that the call was not sent. A failure that is not one of our own errors
 * becomes `ServiceUnavailable`, which the state machine retries.
 */
async function prepare<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OrderError) throw error;
    const { name } = error as Error;
    throw new ServiceUnavailable(`${call.title}: the call could not be prepared (${name}). Nothing was sent.`, {
      cause: error,
      call: call.context,
    });
  }
}
