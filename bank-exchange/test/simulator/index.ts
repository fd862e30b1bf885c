import {
  refuseOtherMethods,
  ServiceError,
  type SimulatorContext,
  type SimulatorOptions,
  type SimulatorSettings,
  startSimulator,
  tokenEndpoint,
} from '@business-loan-orders/order-simulator';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { variables } from '../../../core/settings.ts';
import { addressSettings } from '../../core/settings.ts';
import { type ExchangeBook, exchangeBook } from './book.ts';

export type ExchangeSimulator = Awaited<ReturnType<typeof startExchangeSimulator>>;

/** The order service's simulator, extended by the platform of the bank exchange. */
export async function startExchangeSimulator(options: SimulatorOptions = {}) {
  const exchange = exchangeBook(options.now ?? Date.now);
  const simulator = await startSimulator({ ...options, routes: (context) => exchangeRoutes(exchange, context) });
  return { ...simulator, exchange };
}

export const EXCHANGE_STACK = 'LoanOrdersLegacy-local';

/** The addresses and credentials of the simulator, for the exchange's stack. */
export function simulatedExchange({ url, authorizationUrl, settings, exchange }: ExchangeSimulator) {
  const { clientId: client_id, clientSecret: client_secret } = settings;
  return {
    addresses: variables(addressSettings, { url, tokenUrl: `${authorizationUrl}/token` }),
    credentials: { client_id, client_secret, scope: exchange.settings.scope },
  };
}

const statuses = ['issued', 'inProgress'];
const loanFields = ['loanAmount', 'loanTerm', 'loanTermInDays'] as const;

type StatusRequest = FastifyRequest<{ Params: { requestId: string } }>;

/** The operations of the bank exchange (specification, 4.3) and its token endpoint. Operations need a Bearer token with the partner's scope. */
function exchangeRoutes(book: ExchangeBook, context: SimulatorContext) {
  const { settings, tokens } = context;
  return async (server: FastifyInstance): Promise<void> => {
    await server.register(tokenEndpoint(context, '/token', false));
    await server.register(async (authorized) => {
      authorized.addHook('onRequest', async (request) => {
        request.recordedCall.tokenId = tokens.check(request.headers.authorization, book.settings.scope);
      });
      authorized.get('/requests', async ({ query }: RequestsRequest) => {
        const page = book.page(windowOf(query));
        return book.settings.requestsMember ? { [book.settings.requestsMember]: page } : page;
      });
      authorized.post('/request/:requestId/status', (request: StatusRequest, reply) => {
        book.takeStatus(request.params.requestId, checkStatus(jsonBody(request)));
        return answerUnstated(settings, reply);
      });
      authorized.get('/inns', async () => book.handOutTaxNumbers());
      authorized.post('/inns', (request, reply) => {
        book.takeOffers(offersOf(jsonBody(request)));
        return answerUnstated(settings, reply);
      });
    });
    refuseOtherMethods(server, '/requests', ['GET']);
    refuseOtherMethods(server, '/request/:requestId/status', ['POST']);
    refuseOtherMethods(server, '/inns', ['GET', 'POST']);
  };
}

/** Not validated here: tests check the calls against the OpenAPI contract. */
type RequestsQuery = { take?: string; skip?: string; creationDateFrom?: string };
type RequestsRequest = FastifyRequest<{ Querystring: RequestsQuery }>;

const windowOf = ({ take = '100', skip = '0', creationDateFrom = '1970-01-01' }: RequestsQuery) => ({
  take: Number(take),
  skip: Number(skip),
  from: new Date(creationDateFrom).getTime(),
});

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

/** The specification does not show this answer's body. It is empty, or JSON that a client must ignore. */
const answerUnstated = ({ unstatedBodies }: SimulatorSettings, reply: FastifyReply): FastifyReply =>
  unstatedBodies === 'empty' ? reply.code(200).send() : reply.code(200).send({ taken: true });

/**
 * Validates the body of `POST /request/{requestId}/status`. The checks of the loan fields are assumed (specification, 4.3: not shown): they
 * must be positive numbers, and `issued` needs an amount and at least one term.
 * @throws ServiceError 400.
 */
function checkStatus(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ServiceError(400, 'malformed_json', 'The body must be a JSON object.');
  const change = body as Record<string, unknown>;
  if (!statuses.includes(change.newStatus as string))
    throw new ServiceError(400, 'unknown_status', `The field newStatus must be one of ${statuses.join(', ')}.`);
  for (const name of loanFields) {
    const value = change[name];
    if (value === undefined || (typeof value === 'number' && value > 0)) continue;
    throw new ServiceError(400, 'malformed_loan', `The field ${name} must be a positive number.`);
  }
  const complete = 'loanAmount' in change && ('loanTerm' in change || 'loanTermInDays' in change);
  if (change.newStatus === 'issued' && !complete)
    throw new ServiceError(400, 'loan_missing', 'The status issued needs loanAmount, and loanTerm or loanTermInDays.');
  return change;
}
