import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type RecordedCall, recordAnswer, recordCall } from './call-record.ts';
import type { SimulatorContext } from './context.ts';
import { answerServiceError, ServiceError } from './errors.ts';
import { inspectionBody } from './order-view.ts';
import { refuseForeignRequests } from './own-requests.ts';
import { orderRoutes } from './routes-orders.ts';
import { tokenEndpoint } from './routes-token.ts';
import type { SimulatorSettings } from './settings.ts';

declare module 'fastify' {
  interface FastifyRequest {
    recordedCall: RecordedCall;
  }
}

/** The limit for JSON and form bodies. Bytes. */
const LARGEST_BODY = 10 * 1024 * 1024;
const LONGEST_PARAMETER = 16_384;
const MAX_PARTS = 100;

/** Adds routes. Their calls are recorded, and hooks and faults apply to them. */
export type Routes = (context: SimulatorContext) => (server: FastifyInstance) => Promise<void>;

export async function buildServer(context: SimulatorContext, routes?: Routes): Promise<FastifyInstance> {
  const server = Fastify({
    bodyLimit: LARGEST_BODY,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // Otherwise a client with open connections would prevent the simulator from closing.
    forceCloseConnections: true,
  });
  // The first hook sets it.
  server.decorateRequest('recordedCall', null as unknown as RecordedCall);
  server.setErrorHandler(answerServiceError);
  refuseForeignRequests(server);
  server.setNotFoundHandler(async ({ method, url }) => {
    throw new ServiceError(404, 'not_found', `There is no operation ${method} ${url.split('?', 1)[0]}.`);
  });
  addInspection(server, context);
  await server.register(async (service) => {
    recordCalls(service, context);
    await service.register(tokenEndpoint(context, '/oauth2/token', true));
    await service.register(async (bodies) => {
      await readBodies(bodies, context.settings);
      await bodies.register(orderRoutes(context));
      if (routes) await bodies.register(routes(context));
    });
  });
  return server;
}

/** Shows calls and orders on extra paths. These requests need no token and are not recorded. */
function addInspection(server: FastifyInstance, { calls, orders }: SimulatorContext): void {
  server.get<{ Querystring: { orderId?: string } }>('/simulator/calls', async ({ query: { orderId } }) =>
    calls.filter((call) => orderId === undefined || call.orderId === orderId),
  );
  server.get('/simulator/orders', async () => orders.all().map(inspectionBody));
  server.get<{ Params: { orderId: string } }>('/simulator/orders/:orderId', async ({ params }) =>
    inspectionBody(orders.get(params.orderId)),
  );
}

function recordCalls(server: FastifyInstance, { calls, faults, hooks, now }: SimulatorContext): void {
  server.addHook('onRequest', async (request) => {
    request.recordedCall = recordCall(calls, request, now());
  });
  server.addHook('preHandler', async (request, reply) => {
    if (faults.answer(request, reply)) return reply;
    await hooks.before?.(request.recordedCall, request, reply);
    return reply.sent ? reply : undefined;
  });
  server.addHook('onSend', async (request, reply, payload) => {
    // While the service is down, open connections must not accept further calls.
    if (!server.server.listening) reply.header('connection', 'close');
    const sent = (await hooks.after?.(request.recordedCall, request, reply, payload)) ?? payload;
    await faults.hold(request);
    recordAnswer(request.recordedCall, reply, sent);
    return sent;
  });
}

async function readBodies(server: FastifyInstance, { orderContentType }: SimulatorSettings): Promise<void> {
  server.removeAllContentTypeParsers();
  const jsonTypes = [...new Set(['application/json', orderContentType])];
  server.addContentTypeParser(jsonTypes, { parseAs: 'string' }, async (request: FastifyRequest, text: string) => {
    // The route decides whether the body may be empty: that of accept may.
    if (text === '') return undefined;
    const value = parseJson(text);
    request.recordedCall.requestBody = { kind: 'json', value, text };
    return value;
  });
  const unlimited = Number.POSITIVE_INFINITY;
  await server.register(multipart, { preservePath: true, limits: { fileSize: unlimited, parts: MAX_PARTS } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ServiceError(400, 'malformed_json', `The body is not JSON: ${(error as Error).message}`);
  }
}
