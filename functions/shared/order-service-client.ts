import type { Readable } from 'node:stream';
import { AuthorizedCalls, type AuthorizedCallsOptions, type Call } from './authorized-calls.ts';
import type { components } from './generated/order-service.ts';
import type { HttpResponse } from './http.ts';
import { type FileSource, multipartBody } from './multipart.ts';
import { objectIn, unexpected } from './service-failures.ts';

export type { TokenSource } from './authorized-calls.ts';

export type Order = components['schemas']['Order'];
export type Offer = components['schemas']['Offer'];

/** `baseUrl` is `{base_url}` of the specification, section 4.1. */
export interface OrderServiceOptions extends AuthorizedCallsOptions {
  /** Content type of the creation and confirm bodies (specification, 4.1: not shown). */
  contentType: string;
}

/**
 * The seven order endpoints (specification, 4.1), every call with a timeout. Each method throws the errors of
 * `errors.ts`; none retries, save with a fresh token after a 401, which proves that nothing was done.
 */
export class OrderServiceClient {
  private readonly calls: AuthorizedCalls;
  private readonly contentType: string;

  constructor({ contentType, ...options }: OrderServiceOptions) {
    this.calls = new AuthorizedCalls(options);
    this.contentType = contentType;
  }

  /** Endpoint 1. `order` is sent byte for byte as it stands; the answer is the `orderId`. */
  async createOrder(order: string): Promise<{ orderId: string }> {
    const call = this.jsonCall('Create order', '/v1/orders', order);
    const { value, response } = await this.sendForObject(call);
    return { orderId: this.identifier(value, 'orderId', call, response) };
  }

  /** Endpoint 2. `text` is the body untouched; `order` has been checked to have a `status`. */
  async readOrder(orderId: string): Promise<{ text: string; order: Order }> {
    const call: Call = { operation: 'Read order', changes: false, method: 'GET', path: orderPath(orderId) };
    const { text, value, response } = await this.sendForObject(call);
    if (typeof value.status !== 'string') throw unexpected(response, call, 'the order has no status');
    const lists = ['documents', 'offers'].filter((name) => value[name] != null && !Array.isArray(value[name]));
    if (lists.length > 0) throw unexpected(response, call, `${lists.join(' and ')} is not a list`);
    return { text, order: value as Order };
  }

  /** Endpoint 3. One file, streamed. */
  async uploadDocument(orderId: string, fields: Record<string, string>, file: FileSource): Promise<void> {
    const path = `${orderPath(orderId)}/documents`;
    const call = multipartCall('Upload document', path, fields, 'file', file);
    await this.calls.sendForStatus({ ...call, success: 201 });
  }

  /** Endpoint 4. */
  async acceptOrder(orderId: string): Promise<void> {
    const path = `${orderPath(orderId)}/accept`;
    await this.calls.sendForStatus({ operation: 'Accept order', changes: true, method: 'POST', path, success: 202 });
  }

  /** Endpoint 5. The caller consumes `body`; `length` is the announced size in bytes, where there is one. */
  async downloadDocument(
    orderId: string,
    fileId: string,
  ): Promise<{ body: Readable; length?: number; contentType?: string }> {
    const path = `${orderPath(orderId)}/documents/${encodeURIComponent(fileId)}/download`;
    const response = await this.calls.send({
      operation: 'Download document',
      changes: false,
      method: 'GET',
      path,
      success: 200,
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
    const { value, response } = await this.sendForObject(call);
    return { signatureId: this.identifier(value, 'signatureId', call, response) };
  }

  /** Endpoint 7. */
  async confirmOffer(orderId: string, choice: { offerId: string; code: string }): Promise<void> {
    const path = `${orderPath(orderId)}/confirm`;
    const call = this.jsonCall('Confirm offer', path, JSON.stringify(choice));
    await this.calls.sendForStatus({ ...call, success: 202 });
  }

  private jsonCall(operation: string, path: string, body: string): Call {
    const headers = { 'content-type': this.contentType, 'content-length': Buffer.byteLength(body) };
    return { operation, changes: true, method: 'POST', path, body: async () => ({ headers, body }) };
  }

  private async sendForObject(call: Call) {
    const { response, text } = await this.calls.sendForText(call);
    return { response, text, value: objectIn(text, response, call) };
  }

  private identifier(value: Record<string, unknown>, name: string, call: Call, response: HttpResponse): string {
    const identifier = value[name];
    if (typeof identifier === 'string' && identifier !== '') return identifier;
    throw unexpected(response, call, `the body has no ${name}`);
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
