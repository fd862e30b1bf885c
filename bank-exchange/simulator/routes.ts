import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SimulatorContext } from '../../packages/order-simulator/context.ts';
import { ServiceError } from '../../packages/order-simulator/errors.ts';
import { refuseOtherMethods } from '../../packages/order-simulator/other-methods.ts';
import type { SimulatorSettings } from '../../packages/order-simulator/settings.ts';
import type { Window } from './book.ts';
import { checkStatus } from './status.ts';

type StatusRequest = FastifyRequest<{ Params: { requestId: string } }>;

/**
 * The operations of the bank exchange (specification, 4.3). They need a Bearer token with the partner's own scope. The token
 * endpoint is in packages/order-simulator/routes-token.ts.
 */
export function legacyRoutes({ settings, tokens, legacy }: SimulatorContext) {
  return async (server: FastifyInstance): Promise<void> => {
    await server.register(async (authorized) => {
      authorized.addHook('onRequest', async (request) => {
        request.recordedCall.tokenId = await tokens.check(request.headers.authorization, settings.legacyScope);
      });
      authorized.get('/requests', async (request) => {
        const page = legacy.page(windowOf(request.query as Record<string, unknown>, settings));
        return settings.legacyRequestsMember ? { [settings.legacyRequestsMember]: page } : page;
      });
      authorized.post('/request/:requestId/status', (request: StatusRequest, reply) => {
        legacy.takeStatus(request.params.requestId, checkStatus(jsonBody(request)));
        return answerUnstated(settings, reply);
      });
      authorized.get('/inns', async () => legacy.handOutTaxNumbers());
      authorized.post('/inns', (request, reply) => {
        legacy.takeOffers(offersOf(jsonBody(request)));
        return answerUnstated(settings, reply);
      });
    });
    refuseOtherMethods(server, '/requests', ['GET']);
    refuseOtherMethods(server, '/request/:requestId/status', ['POST']);
    refuseOtherMethods(server, '/inns', ['GET', 'POST']);
  };
}

function windowOf(query: Record<string, unknown>, { legacyMostTake }: SimulatorSettings): Window {
  const take = wholeNumber(query, 'take', 1) ?? legacyMostTake;
  if (take > legacyMostTake) {
    throw new ServiceError(400, 'take_too_large', `The parameter take must be at most ${legacyMostTake}.`);
  }
  const { creationDateFrom } = query;
  const from = creationDateFrom === undefined ? Number.NEGATIVE_INFINITY : Date.parse(String(creationDateFrom));
  if (Number.isNaN(from)) {
    throw new ServiceError(400, 'malformed_parameter', 'The parameter creationDateFrom must be a date.');
  }
  return { take, skip: wholeNumber(query, 'skip', 0) ?? 0, from };
}

function wholeNumber(query: Record<string, unknown>, name: string, least: number): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const value = typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : -1;
  if (value >= least) return value;
  throw new ServiceError(
    400,
    'malformed_parameter',
    `The parameter ${name} must be a whole number of at least ${least}.`,
  );
}

function jsonBody(request: FastifyRequest): unknown {
  const contentType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (contentType === 'application/json') return request.body;
  throw new ServiceError(415, 'unsupported_media_type', 'This operation takes application/json.');
}

function offersOf(body: unknown): Record<string, unknown>[] {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (Array.isArray(body) && body.every(isObject)) return body;
  throw new ServiceError(400, 'malformed_offers', 'The body must be a JSON array of offers.');
}

/** Answers an operation whose body the specification does not show: without a body, or with one that a client must ignore. */
function answerUnstated({ unstatedBodies }: SimulatorSettings, reply: FastifyReply): FastifyReply {
  return unstatedBodies === 'empty' ? reply.code(200).send() : reply.code(200).send({ taken: true });
}
