import type { FastifyInstance } from 'fastify';
import type { SimulatorContext } from './context.ts';
import { ServiceError } from './errors.ts';
import { inspectionBody } from './order-view.ts';

/** Inspection of calls and orders, on paths that the service does not have. It needs no token and is not recorded. */
export function inspectionRoutes({ calls, orders }: SimulatorContext) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Querystring: { orderId?: string } }>('/simulator/calls', async (request) =>
      calls.all(request.query.orderId),
    );
    server.get('/simulator/orders', async () => orders.all().map(inspectionBody));
    server.get<{ Params: { orderId: string } }>('/simulator/orders/:orderId', async (request) => {
      const order = orders.find(request.params.orderId);
      if (!order) throw new ServiceError(404, 'order_not_found', `There is no order ${request.params.orderId}.`);
      return inspectionBody(order);
    });
  };
}
