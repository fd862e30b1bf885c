import type { FastifyInstance, HTTPMethods } from 'fastify';
import { ServiceError } from './errors.ts';

const methods: readonly HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Answers 405 on a path the service knows under another method; nothing of the body is read. */
export function refuseOtherMethods(server: FastifyInstance, url: string, allowed: readonly HTTPMethods[]): void {
  server.route({
    method: methods.filter((method) => !allowed.includes(method)),
    url,
    onRequest: async (request) => {
      throw new ServiceError(405, 'method_not_allowed', `${request.method} is not an operation of this path.`, {
        allow: allowed.join(', '),
      });
    },
    handler: async () => undefined,
  });
}
