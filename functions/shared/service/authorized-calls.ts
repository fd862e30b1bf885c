import type { Readable } from 'node:stream';
import { OrderError, ServiceUnavailable, Throttled, Unauthorized } from '../errors.ts';
import { HttpFailure, type HttpResponse, sendRequest } from './http.ts';
import { type CallKind, failureOf, failureWithoutResponse, readBody } from './service-failures.ts';

/** Where tokens come from: `token()` gives a usable one, `replace(token)` a new one after the service refused that one. */
export interface TokenSource {
  token(): Promise<string>;
  replace(refused: string): Promise<string>;
}

export interface AuthorizedCallsOptions {
  /** Address of the service, to which each call's path is added. */
  baseUrl: string;
  tokens: TokenSource;
  /** Milliseconds for a call that carries no file. */
  callTimeout: number;
  /** Milliseconds for a call that carries a file, its transfer included. */
  fileTimeout: number;
  /** Milliseconds that a call with a file may stand still. */
  fileIdleTimeout: number;
  /** See {@link CallKind}. */
  unavailableProvesNothingDone?: boolean;
}

export interface Call extends CallKind {
  method: 'GET' | 'POST';
  /** Path and query, below the base address. */
  path: string;
  /** The one status of success, where no body proves it; any 2xx otherwise. */
  success?: number;
  file?: boolean;
  body?: () => Promise<{ headers: Record<string, string | number>; body: string | Readable }>;
}

/** The fleet may have another token than this function, and that one may be refused as well: the next one is new. */
const TOKEN_REPLACEMENTS = 2;

/**
 * Calls to a service that asks for a Bearer token, each with a timeout. They throw the errors of `errors.ts`; none is
 * retried, save with a fresh token after a 401, which proves that nothing was done.
 */
export class AuthorizedCalls {
  private readonly options: AuthorizedCallsOptions;

  constructor(options: AuthorizedCallsOptions) {
    this.options = options;
  }

  /** The successful response, whose body the caller reads or drains. Another 2xx than the one of the call is no success. */
  async send(call: Call): Promise<HttpResponse> {
    let token = await tokenFor(call, () => this.options.tokens.token());
    let response = await this.attempt(call, token);
    for (let replaced = 0; response.status === 401 && replaced < TOKEN_REPLACEMENTS; replaced += 1) {
      response.body.resume();
      token = await tokenFor(call, () => this.options.tokens.replace(token));
      response = await this.attempt(call, token);
    }
    if (isSuccess(response.status, call)) return response;
    const { unavailableProvesNothingDone = true } = this.options;
    throw await failureOf(response, { ...call, unavailableProvesNothingDone });
  }

  /** The successful response's whole body, as a text within the limit of {@link readBody}. */
  async sendForText(call: Call): Promise<{ response: HttpResponse; text: string }> {
    const response = await this.send(call);
    try {
      return { response, text: await readBody(response, call) };
    } catch (error) {
      if (error instanceof HttpFailure) throw failureWithoutResponse(error, call);
      throw error;
    }
  }

  /** For answers whose body the specification does not show: the status is the answer, the body is passed over. */
  async sendForStatus(call: Call): Promise<void> {
    const response = await this.send(call);
    response.body.on('error', () => response.body.destroy());
    response.body.resume();
  }

  private async attempt(call: Call, token: string): Promise<HttpResponse> {
    const content = call.body && (await unsent(call, call.body));
    try {
      return await sendRequest({
        method: call.method,
        url: new URL(this.options.baseUrl.replace(/\/$/, '') + call.path),
        headers: {
          authorization: `Bearer ${token}`,
          accept: call.file && call.method === 'GET' ? '*/*' : 'application/json',
          ...(call.method === 'POST' && !content && { 'content-length': 0 }),
          ...content?.headers,
        },
        ...(content && { body: content.body }),
        idleTimeout: call.file ? this.options.fileIdleTimeout : this.options.callTimeout,
        totalTimeout: call.file ? this.options.fileTimeout : this.options.callTimeout,
        reuseConnection: !call.changes,
      });
    } catch (error) {
      if (error instanceof HttpFailure) throw failureWithoutResponse(error, call);
      throw error;
    }
  }
}

/** A page of some gateway comes with 200, too: it must not pass for an accepted order or a stored file. */
function isSuccess(status: number, { success }: Call): boolean {
  return success === undefined ? status >= 200 && status < 300 : status === success;
}

/**
 * What the authorization service answers says nothing of the call, which was not sent: its refusal of a request for a token is no
 * refusal of an order's.
 */
function tokenFor(call: Call, get: () => Promise<string>): Promise<string> {
  return unsent(call, async () => {
    try {
      return await get();
    } catch (error) {
      // Its Retry-After is not the order service's, which may be called meanwhile by whoever has a token.
      if (error instanceof Throttled) throw new Throttled(error.message, { cause: error });
      if (!(error instanceof OrderError) || error instanceof Unauthorized) throw error;
      if (error instanceof ServiceUnavailable && error.httpStatus === undefined) throw error;
      const { message, excerpt } = error;
      // Without its status, which would be taken for the order service's.
      const failure = new ServiceUnavailable(`${call.operation}: no token. ${message} Nothing was sent.`, {
        cause: error,
      });
      if (excerpt !== undefined) failure.excerpt = excerpt;
      throw failure;
    }
  });
}

/**
 * What must be at hand before a call: a failure here proves that the call was not sent, which the ledger must know.
 * Our own errors say what they are; a failure of AWS becomes one that may be retried.
 */
async function unsent<Result>(call: Call, prepare: () => Promise<Result>): Promise<Result> {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof OrderError) throw error;
    const { name } = error as Error;
    throw new ServiceUnavailable(`${call.operation}: it could not be prepared (${name}). Nothing was sent.`, {
      cause: error,
    });
  }
}
