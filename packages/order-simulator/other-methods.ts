import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from './errors.ts';

const methods: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers other methods on a known path with 405, without reading the body. */
export function refuseOtherMethods(server: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  server.route({
    method: methods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async (request) => {
      throw new ServiceError(405, 'method_not_allowed', `This path does not support ${request.method}.`, {
        allow: allowed.join(', '),
      });
    },
    handler: async () => undefined,
  });
}
