import type { Readable } from 'node:stream';

import { OrderError, ServiceUnavailable } from './errors.ts';
import type { components } from './generated/order-service.ts';
import { HttpFailure, type HttpResponse, sendRequest } from './http.ts';
import { type FileSource, multipartBody } from './multipart.ts';
import { type CallKind, failureOf, failureWithoutResponse, readObject, unexpected } from './service-failures.ts';

export type Order = components['schemas']['Order'];
export type Offer = components['schemas']['Offer'];

/** Where tokens come from: `token()` gives a usable one, `replace(token)` a new one after the service refused that one. */
export interface TokenSource {
  token(): Promise<string>;
  replace(refused: string): Promise<string>;
}

export interface OrderServiceOptions {
  /** `{base_url}` of the specification, section 4.1. */
  baseUrl: string;
  tokens: TokenSource;
  /** Milliseconds for a call that carries no file. */
  callTimeout: number;
  /** Milliseconds for a call that carries a file, its transfer included. */
  fileTimeout: number;
  /** Milliseconds that a call with a file may stand still. */
  fileIdleTimeout: number;
  /** Content type of the creation and confirm bodies (specification, 4.1: not shown). */
  contentType: string;
  /** See {@link CallKind}. */
  unavailableProvesNothingDone?: boolean;
}

interface Call extends CallKind {
  method: 'GET' | 'POST';
  path: string;
  file?: boolean;
  body?: () => Promise<{ headers: Record<string, string | number>; body: string | Readable }>;
}

/** The fleet may have another token than this function, and that one may be refused as well: the next one is new. */
const TOKEN_REPLACEMENTS = 2;

/**
 * The seven order endpoints (specification, 4.1), every call with a timeout. Each method throws the errors of
 * `errors.ts`; none retries, save with a fresh token after a 401, which proves that nothing was done.
 */
export class OrderServiceClient {
  private readonly options: OrderServiceOptions;

  constructor(options: OrderServiceOptions) {
    this.options = options;
  }

  /** Endpoint 1. `order` is sent byte for byte as it stands; the answer is the `orderId`. */
  async createOrder(order: string): Promise<{ orderId: string }> {
    const call = this.jsonCall('Create order', '/v1/orders', order);
    const response = await this.send(call);
    const { value } = await this.readBody(call, response);
    return { orderId: this.identifier(value, 'orderId', call, response) };
  }

  /** Endpoint 2. `text` is the body untouched; `order` has been checked to have a `status`. */
  async readOrder(orderId: string): Promise<{ text: string; order: Order }> {
    const call: Call = { operation: 'Read order', changes: false, method: 'GET', path: orderPath(orderId) };
    const response = await this.send(call);
    const { text, value } = await this.readBody(call, response);
    if (typeof value.status !== 'string') throw unexpected(response, call, 'the order has no status');
    const lists = ['documents', 'offers'].filter((name) => value[name] != null && !Array.isArray(value[name]));
    if (lists.length > 0) throw unexpected(response, call, `${lists.join(' and ')} is not a list`);
    return { text, order: value as Order };
  }

  /** Endpoint 3. One file, streamed. */
  async uploadDocument(orderId: string, fields: Record<string, string>, file: FileSource): Promise<void> {
    const path = `${orderPath(orderId)}/documents`;
    const response = await this.send(multipartCall('Upload document', path, fields, 'file', file));
    await drain(response);
  }

  /** Endpoint 4. */
  async acceptOrder(orderId: string): Promise<void> {
    const call: Call = {
      operation: 'Accept order',
      changes: true,
      method: 'POST',
      path: `${orderPath(orderId)}/accept`,
    };
    await drain(await this.send(call));
  }

  /** Endpoint 5. The caller consumes `body`; `length` is the announced size in bytes, where there is one. */
  async downloadDocument(
    orderId: string,
    fileId: string,
  ): Promise<{ body: Readable; length?: number; contentType?: string }> {
    const path = `${orderPath(orderId)}/documents/${encodeURIComponent(fileId)}/download`;
    const response = await this.send({
      operation: 'Download document',
      changes: false,
      method: 'GET',
      path,
      file: true,
    });
    const length = response.headers['content-length'];
    const contentType = response.headers['content-type'];
    return {
      body: response.body,
      ...(length !== undefined && { length: Number(length) }),
      ...(contentType !== undefined && { contentType }),
    };
  }

  /** Endpoint 6. */
  async uploadSignature(orderId: string, fileId: string, signature: FileSource): Promise<{ signatureId: string }> {
    const path = `${orderPath(orderId)}/documents/sign`;
    const call = multipartCall('Upload signature', path, { fileId }, 'signature', signature);
    const response = await this.send(call);
    const { value } = await this.readBody(call, response);
    return { signatureId: this.identifier(value, 'signatureId', call, response) };
  }

  /** Endpoint 7. */
  async confirmOffer(orderId: string, choice: { offerId: string; code: string }): Promise<void> {
    const path = `${orderPath(orderId)}/confirm`;
    await drain(await this.send(this.jsonCall('Confirm offer', path, JSON.stringify(choice))));
  }

  private jsonCall(operation: string, path: string, body: string): Call {
    const headers = { 'content-type': this.options.contentType, 'content-length': Buffer.byteLength(body) };
    return { operation, changes: true, method: 'POST', path, body: async () => ({ headers, body }) };
  }

  private async send(call: Call): Promise<HttpResponse> {
    let token = await unsent(call, () => this.options.tokens.token());
    let response = await this.attempt(call, token);
    for (let replaced = 0; response.status === 401 && replaced < TOKEN_REPLACEMENTS; replaced += 1) {
      response.body.resume();
      token = await unsent(call, () => this.options.tokens.replace(token));
      response = await this.attempt(call, token);
    }
    if (response.status >= 200 && response.status < 300) return response;
    const { unavailableProvesNothingDone = true } = this.options;
    throw await failureOf(response, { ...call, unavailableProvesNothingDone });
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

  private async readBody(call: Call, response: HttpResponse) {
    try {
      return await readObject(response, call);
    } catch (error) {
      if (error instanceof HttpFailure) throw failureWithoutResponse(error, call);
      throw error;
    }
  }

  private identifier(value: Record<string, unknown>, name: string, call: Call, response: HttpResponse): string {
    const identifier = value[name];
    if (typeof identifier === 'string' && identifier !== '') return identifier;
    throw unexpected(response, call, `the body has no ${name}`);
  }
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

function orderPath(orderId: string): string {
  return `/v1/orders/${encodeURIComponent(orderId)}`;
}

function multipartCall(
  operation: string,
  path: string,
  fields: Record<string, string>,
  fileField: string,
  file: FileSource,
): Call {
  return {
    operation,
    changes: true,
    method: 'POST',
    path,
    file: true,
    body: () => multipartBody(fields, fileField, file),
  };
}

/** Accept and confirm answer bodies that the specification does not show: any 2xx is the answer, the body is passed over. */
async function drain(response: HttpResponse): Promise<void> {
  response.body.on('error', () => response.body.destroy());
  response.body.resume();
}
