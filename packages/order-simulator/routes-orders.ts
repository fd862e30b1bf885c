import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { SimulatorContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { parseExactly, wireIdentifier } from './identifiers.ts';
import { type ReceivedForm, readForm, withoutBytes } from './multipart.ts';
import { acceptUploads, addDocument, addSignature, confirmOffer, findDocument } from './order-actions.ts';
import type { SimulatedOrder } from './order-book.ts';
import { orderBody } from './order-view.ts';
import { refuseOtherMethods } from './other-methods.ts';

type OrderRequest = FastifyRequest<{ Params: { orderId: string; fileId: string } }>;
type Handler = (context: SimulatorContext, request: OrderRequest, reply: FastifyReply) => unknown;

/** The seven endpoints of the order API (specification, 4.1). */
const endpoints: [HTTPMethods, path: string, Handler][] = [
  ['POST', '', createOrder],
  ['GET', '/:orderId', readOrder],
  ['POST', '/:orderId/documents', uploadDocument],
  ['POST', '/:orderId/accept', accept],
  ['GET', '/:orderId/documents/:fileId/download', downloadDocument],
  ['POST', '/:orderId/documents/sign', uploadSignature],
  ['POST', '/:orderId/confirm', confirm],
];

export function orderRoutes(context: SimulatorContext) {
  return async (server: FastifyInstance): Promise<void> => {
    for (const [method, path, handle] of endpoints) {
      const url = `/v1/orders${path}`;
      server.route({
        method,
        url,
        onRequest: async (request) => {
          request.recordedCall.tokenId = context.tokens.check(request.headers.authorization);
        },
        handler: async (request, reply) => handle(context, request as OrderRequest, reply),
      });
      refuseOtherMethods(server, url, [method]);
    }
  };
}

function createOrder(context: SimulatorContext, request: FastifyRequest, reply: FastifyReply) {
  const { orderId } = context.orders.create(jsonObject(context, request));
  request.recordedCall.orderId = orderId;
  const { settings } = context;
  return reply.code(201).send({ [settings.names.orderId]: wireIdentifier(orderId, settings) });
}

function readOrder({ orders, settings, now }: SimulatorContext, request: OrderRequest) {
  const order = orders.get(request.params.orderId);
  const early = secondsEarly(order, now());
  if (early > 0) request.recordedCall.earlyBySeconds = early;
  order.lastRead = { at: now(), pollAfterSeconds: settings.pollAfterSeconds };
  return orderBody(order, settings);
}

function accept(context: SimulatorContext, request: OrderRequest, reply: FastifyReply) {
  if (context.settings.acceptBody === 'object') jsonObject(context, request);
  return answerUnstated(context, reply, 202, acceptUploads(context.orders, request.params.orderId));
}

function confirm(context: SimulatorContext, request: OrderRequest, reply: FastifyReply) {
  const body = exactObject(jsonObject(context, request), request);
  return answerUnstated(context, reply, 202, confirmOffer(context.orders, request.params.orderId, body));
}

async function uploadDocument(context: SimulatorContext, request: OrderRequest, reply: FastifyReply) {
  const { orderId } = request.params;
  const form = await recordedForm(request, context.settings.keptFileBytes);
  addDocument(context.orders, orderId, form);
  return answerUnstated(context, reply, 201, context.orders.get(orderId));
}

async function uploadSignature({ orders, settings }: SimulatorContext, request: OrderRequest, reply: FastifyReply) {
  const form = await recordedForm(request, settings.largestSignatureBytes);
  const { signatureId } = await addSignature(orders, request.params.orderId, form, settings.largestSignatureBytes);
  return reply.code(201).send({ [settings.names.signatureId]: wireIdentifier(signatureId, settings) });
}

async function downloadDocument({ orders }: SimulatorContext, request: OrderRequest, reply: FastifyReply) {
  const order = orders.get(request.params.orderId);
  const document = findDocument(order, request.params.fileId);
  const content = await orders.content(order, document);
  return reply
    .header('content-type', document.contentType)
    .header('content-disposition', `attachment; ${fileNameParameter(document.name)}`)
    .send(content);
}

/** The file name as in RFC 6266: in quotes, or percent-encoded if it has characters that a header cannot contain. */
function fileNameParameter(name: string): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `filename="${name.replaceAll(/["\\]/g, '\\$&')}"`;
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `filename*=UTF-8''${encoded}`;
}

/** The specification does not show this answer's body. It is empty, or JSON that a client must ignore. */
function answerUnstated({ settings }: SimulatorContext, reply: FastifyReply, status: number, order: SimulatedOrder) {
  if (settings.unstatedBodies === 'empty') return reply.code(status).send();
  return reply.code(status).send({ orderId: order.orderId, status: order.status });
}

/** Reads the form and records it before any check can refuse it. */
async function recordedForm(request: FastifyRequest, keptBytes: number): Promise<ReceivedForm> {
  const form = await readForm(request, keptBytes);
  request.recordedCall.requestBody = { kind: 'multipart', ...withoutBytes(form) };
  return form;
}

function jsonObject({ settings }: SimulatorContext, request: FastifyRequest): Record<string, unknown> {
  const contentType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (contentType !== settings.orderContentType) {
    throw new ServiceError(415, 'unsupported_media_type', `This operation takes ${settings.orderContentType}.`);
  }
  const { body } = request;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw new ServiceError(400, 'malformed_json', 'The body must be a JSON object.');
}

/** Parses the body again with exact numbers, because a double cannot represent an identifier of 20 digits. */
function exactObject(body: Record<string, unknown>, { recordedCall }: FastifyRequest): Record<string, unknown> {
  if (recordedCall.requestBody?.kind !== 'json') return body;
  return parseExactly(recordedCall.requestBody.text);
}

function secondsEarly({ lastRead }: SimulatedOrder, now: number): number {
  return lastRead ? lastRead.pollAfterSeconds - (now - lastRead.at) / 1000 : 0;
}
