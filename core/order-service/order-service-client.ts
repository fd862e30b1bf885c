import type { Readable } from 'node:stream';
import type { CallContext } from '../errors.ts';
import { fileNameIn } from '../http/content-disposition.ts';
import { type FileSource, multipartBody } from '../http/multipart.ts';
import { hasRepeatedName } from '../json/lossless-json.ts';
import { MetricUnit, publish } from '../metrics.ts';
import { type AuthorizedCallsOptions, authorizedCalls, type Call } from '../service/authorized-calls.ts';
import { failureOf, objectIn, unexpected } from '../service/service-failures.ts';
import { timedCall } from '../service/timed-call.ts';
import type { Kind } from '../service/what-answers-prove.ts';
import type { serviceSettings } from '../settings.ts';
import { CALL_TITLES } from './call-titles.ts';
import { problemOfDocument } from './document-answer.ts';
import { identifierIn, type OrderAnswer, readAnswer, UnknownStatus, UnusableAnswer } from './order-answer.ts';
import type { ServiceTranslation } from './service-names.ts';

export type { TokenSource } from '../service/authorized-calls.ts';

export type { Offer, Order } from './order-answer.ts';

/** RFC 8259, section 6. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `baseUrl` is `{base_url}` of section 4.1. The specification shows none of the other options. */
export type OrderServiceOptions = AuthorizedCallsOptions &
  ServiceTranslation &
  Omit<typeof serviceSettings, 'tokenUrl'>;

export type OrderServiceClient = ReturnType<typeof orderServiceClient>;

/** The seven order endpoints (specification, 4.1), for calls of one context. They throw the errors of `errors.ts`. */
export function orderServiceClient(options: OrderServiceOptions, context: CallContext) {
  const { names } = options;
  const calls = authorizedCalls(options);
  const getCall = (kind: Kind, title: string, path: string): Call => ({ kind, title, context, method: 'GET', path });
  const postCall = (kind: Kind, title: string, path: string): Call => ({ kind, title, context, method: 'POST', path });
  const jsonCall = (kind: Kind, title: string, path: string, body: string): Call => {
    const headers = { 'content-type': options.contentType, 'content-length': Buffer.byteLength(body) };
    return { ...postCall(kind, title, path), body: async () => ({ headers, body }) };
  };
  /** Identifiers are strings here. A string of digits may be a number at the service. */
  const confirmValue = (identifier: string): string => {
    const isBare = options.confirmNumbers === 'as-numbers' && JSON_NUMBER.test(identifier);
    return isBare ? identifier : JSON.stringify(identifier);
  };
  const multipart = (fields: Record<string, string>, fileField: string, file: FileSource) => ({
    file: true,
    body: () => multipartBody(fields, fileField, file, options.fieldCharset),
  });
  const sendForStatus = (call: Call): Promise<void> => measured(call, () => calls.sendForStatus(call));
  /** @param enough the statuses that mean success even if the body cannot be used. The result is then undefined. */
  const sendFor = <Result>(
    call: Call,
    use: (text: string, body: Record<string, unknown>) => Result,
    enough: readonly number[] = [],
  ): Promise<Result> =>
    measured(call, async () => {
      const { response, text } = await calls.sendForText(call, enough);
      let body: Record<string, unknown> = {};
      try {
        body = objectIn(text, response, call);
        // Two parsers could read different values.
        if (hasRepeatedName(text, 1)) throw new UnusableAnswer('the body has a name twice');
        return use(text, body);
      } catch (error) {
        if (enough.includes(response.status)) return undefined as Result;
        if (!(error instanceof UnusableAnswer)) throw error;
        const unknownStatus = error instanceof UnknownStatus ? error.status : undefined;
        const { pollAfterSeconds } = body;
        throw unexpected(response, call, error.message, text, { pollAfterSeconds, unknownStatus });
      }
    });
  return {
    /** Endpoint 1. Sends `order` unchanged. */
    createOrder: async (order: string): Promise<{ orderId: string }> => {
      const call = jsonCall('creation', CALL_TITLES.createOrder, '/v1/orders', order);
      return { orderId: await sendFor(call, (text, body) => identifierIn(text, body, names.orderId)) };
    },
    /** Endpoint 2. `text` is the unchanged body. */
    readOrder: async (orderId: string): Promise<OrderAnswer & { text: string }> => {
      const call = getCall('read', CALL_TITLES.readOrder, orderPath(orderId));
      const asked = options.compareOrderId ? orderId : undefined;
      return sendFor(call, (text, body) => ({ text, ...readAnswer(text, body, options, asked) }));
    },
    /** Endpoint 3. Streams one file. */
    uploadDocument: async (orderId: string, fields: Record<string, string>, file: FileSource): Promise<void> => {
      const call = postCall('upload', CALL_TITLES.uploadDocument, `${orderPath(orderId)}/documents`);
      await sendForStatus({ ...call, ...multipart(fields, 'file', file), success: options.uploaded });
    },
    /** Endpoint 4. */
    acceptOrder: async (orderId: string): Promise<void> => {
      const path = `${orderPath(orderId)}/accept`;
      const hasBody = options.acceptBody === 'empty-object';
      const call = hasBody
        ? jsonCall('accept', CALL_TITLES.acceptOrder, path, '{}')
        : postCall('accept', CALL_TITLES.acceptOrder, path);
      await sendForStatus(call);
    },
    /**
     * Endpoint 5. The caller must read `body`, which is not empty. Its transfer does not count in the latency. `length` is the
     * Content-Length, and `name` the file name of the Content-Disposition, if there is one.
     */
    downloadDocument: async (
      orderId: string,
      fileId: string,
    ): Promise<{ body: Readable; length?: number; contentType?: string; name?: string }> => {
      const path = `${orderPath(orderId)}/documents/${encodeURIComponent(fileId)}/download`;
      const call: Call = { ...getCall('download', CALL_TITLES.downloadDocument, path), file: true };
      const { headers, body } = await measured(call, async () => {
        const response = await calls.sendForFile(call);
        const problem = await problemOfDocument(response, options.documentTypes);
        if (problem === undefined) return response;
        throw await failureOf(response, call, problem);
      });
      const { 'content-length': length, 'content-type': contentType } = headers;
      const name = fileNameIn(headers['content-disposition']);
      return {
        body,
        ...(length !== undefined && { length: Number(length) }),
        // It is stored with the S3 object, and S3 accepts no other values.
        ...(contentType !== undefined && /^[\x20-\x7e]{1,255}$/.test(contentType) && { contentType }),
        ...(name !== undefined && { name }),
      };
    },
    /** Endpoint 6. Nothing needs the `signatureId` that the specification promises: the status of an upload is enough. */
    uploadSignature: async (orderId: string, fileId: string, signature: FileSource): Promise<string | undefined> => {
      const call = postCall('signature', CALL_TITLES.uploadSignature, `${orderPath(orderId)}/documents/sign`);
      const sent = { ...call, ...multipart({ fileId }, 'signature', signature) };
      return sendFor(sent, (text, body) => identifierIn(text, body, names.signatureId), options.uploaded);
    },
    /** Endpoint 7. */
    confirmOffer: async (orderId: string, { offerId, code }: { offerId: string; code: string }): Promise<void> => {
      const member = (name: string, value: string) => `${JSON.stringify(name)}:${confirmValue(value)}`;
      const body = `{${member(names.confirmOfferId, offerId)},${member(names.confirmCode, code)}}`;
      await sendForStatus(jsonCall('confirm', CALL_TITLES.confirmOffer, `${orderPath(orderId)}/confirm`, body));
    },
  };
}

/** Outcomes that show that the service works, even if it refused the call. */
const ANSWERED = new Set(['Success', 'Rejected', 'Throttled', 'Unauthorized']);

/**
 * Publishes the call's latency with its outcome. An alarm watches one metric, so each outcome is also counted for all calls together. The
 * average of `CallsUnanswered` is the share of calls without a usable answer.
 */
const measured = <Result>(call: Call, send: () => Promise<Result>): Promise<Result> =>
  timedCall(call, send, (outcome, milliseconds) => {
    publish('CallLatency', MetricUnit.Milliseconds, milliseconds, {}, { call: call.title, outcome });
    publish('CallLatency', MetricUnit.Milliseconds, milliseconds, { outcome });
    publish('CallsUnanswered', MetricUnit.Count, ANSWERED.has(outcome) ? 0 : 1);
  });

const orderPath = (orderId: string): string => `/v1/orders/${encodeURIComponent(orderId)}`;
