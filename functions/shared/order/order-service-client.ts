import type { Readable } from 'node:stream';
import { AuthorizedCalls, type AuthorizedCallsOptions, type Call } from '../service/authorized-calls.ts';
import { type FileSource, multipartBody } from '../service/multipart.ts';
import { objectIn, unexpected } from '../service/service-failures.ts';
import { identifierIn, type OrderAnswer, orderIn, UnusableAnswer } from './order-answer.ts';
import type { ServiceWords } from './service-names.ts';

export type { TokenSource } from '../service/authorized-calls.ts';

export type { Offer, Order } from './order-answer.ts';

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `baseUrl` is `{base_url}` of the specification, section 4.1. */
export interface OrderServiceOptions extends AuthorizedCallsOptions, ServiceWords {
  /** Content type of the creation and confirm bodies (specification, 4.1: not shown). */
  contentType: string;
  /** Body of an accept (not shown). */
  acceptBody: 'none' | 'empty-object';
  /** How an identifier that is a number goes into the body of a confirm: as the service lists it, or in quotes (not shown). */
  confirmNumbers: 'as-numbers' | 'as-texts';
}

/**
 * The seven order endpoints (specification, 4.1), every call with a timeout. Each method throws the errors of
 * `errors.ts`; none retries, save with a fresh token after a 401, which proves that nothing was done.
 */
export class OrderServiceClient {
  private readonly calls: AuthorizedCalls;
  private readonly options: Omit<OrderServiceOptions, keyof AuthorizedCallsOptions>;

  constructor(options: OrderServiceOptions) {
    this.calls = new AuthorizedCalls(options);
    this.options = options;
  }

  /** Endpoint 1. `order` is sent byte for byte as it stands; the answer is the `orderId`. */
  async createOrder(order: string): Promise<{ orderId: string }> {
    const call = this.jsonCall('Create order', '/v1/orders', order);
    return { orderId: await this.sendFor(call, (text, body) => identifierIn(text, body, this.options.names.orderId)) };
  }

  /** Endpoint 2. `text` is the body untouched. */
  async readOrder(orderId: string): Promise<OrderAnswer & { text: string }> {
    const call: Call = { operation: 'Read order', changes: false, method: 'GET', path: orderPath(orderId) };
    return this.sendFor(call, (text, body) => ({ text, ...orderIn(text, body, this.options) }));
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
    const call: Call =
      this.options.acceptBody === 'empty-object'
        ? this.jsonCall('Accept order', path, '{}')
        : { operation: 'Accept order', changes: true, method: 'POST', path };
    await this.calls.sendForStatus({ ...call, success: 202 });
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
      // It is stored with the object: S3 takes no other characters, and not too many of them.
      ...(contentType !== undefined && /^[\x20-\x7e]{1,255}$/.test(contentType) && { contentType }),
    };
  }

  /** Endpoint 6. */
  async uploadSignature(orderId: string, fileId: string, signature: FileSource): Promise<{ signatureId: string }> {
    const path = `${orderPath(orderId)}/documents/sign`;
    const call = multipartCall('Upload signature', path, { fileId }, 'signature', signature);
    return {
      signatureId: await this.sendFor(call, (text, body) => identifierIn(text, body, this.options.names.signatureId)),
    };
  }

  /** Endpoint 7. */
  async confirmOffer(orderId: string, { offerId, code }: { offerId: string; code: string }): Promise<void> {
    const path = `${orderPath(orderId)}/confirm`;
    const { confirmOfferId, confirmCode } = this.options.names;
    const members = [
      [confirmOfferId, offerId],
      [confirmCode, code],
    ] as const;
    const body = members.map(([name, value]) => `${JSON.stringify(name)}:${this.confirmValue(value)}`).join(',');
    const call = this.jsonCall('Confirm offer', path, `{${body}}`);
    await this.calls.sendForStatus({ ...call, success: 202 });
  }

  /** By its text nothing tells whether an identifier is a number at the service. */
  private confirmValue(identifier: string): string {
    const isBare = this.options.confirmNumbers === 'as-numbers' && JSON_NUMBER.test(identifier);
    return isBare ? identifier : JSON.stringify(identifier);
  }

  private jsonCall(operation: string, path: string, body: string): Call {
    const headers = { 'content-type': this.options.contentType, 'content-length': Buffer.byteLength(body) };
    return { operation, changes: true, method: 'POST', path, body: async () => ({ headers, body }) };
  }

  /** @throws UnexpectedResponse for an answer that can't be used, with what it says. */
  private async sendFor<Result>(
    call: Call,
    use: (text: string, body: Record<string, unknown>) => Result,
  ): Promise<Result> {
    const { response, text } = await this.calls.sendForText(call);
    const body = objectIn(text, response, call);
    try {
      return use(text, body);
    } catch (error) {
      if (!(error instanceof UnusableAnswer)) throw error;
      const failure = unexpected(response, call, error.message, text);
      failure.pollAfterSeconds = body.pollAfterSeconds;
      throw failure;
    }
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
