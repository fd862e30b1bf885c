import {
  refuseOtherMethods,
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

/** Not validated here: tests check the calls against the OpenAPI contract. */
type Body = Record<string, unknown>;
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
        book.takeStatus(request.params.requestId, request.body as Body);
        return answerUnstated(settings, reply);
      });
      authorized.get('/inns', async () => book.handOutTaxNumbers());
      authorized.post('/inns', (request, reply) => {
        book.takeOffers(request.body as Body[]);
        return answerUnstated(settings, reply);
      });
    });
    refuseOtherMethods(server, '/requests', ['GET']);
    refuseOtherMethods(server, '/request/:requestId/status', ['POST']);
    refuseOtherMethods(server, '/inns', ['GET', 'POST']);
  };
}

type RequestsQuery = { take?: string; skip?: string; creationDateFrom?: string };
type RequestsRequest = FastifyRequest<{ Querystring: RequestsQuery }>;

const windowOf = ({ take = '100', skip = '0', creationDateFrom = '1970-01-01' }: RequestsQuery) => ({
  take: Number(take),
  skip: Number(skip),
  from: new Date(creationDateFrom).getTime(),
});

/** The specification does not show this answer's body. It is empty, or JSON that a client must ignore. */
const answerUnstated = ({ unstatedBodies }: SimulatorSettings, reply: FastifyReply): FastifyReply =>
  unstatedBodies === 'empty' ? reply.code(200).send() : reply.code(200).send({ taken: true });
