import Fastify from 'fastify';
import { answerServiceError, ServiceError } from './errors.ts';
import { type FaultName, type FaultState, type Faults, faultNames } from './faults.ts';
import { refuseForeignRequests } from './own-requests.ts';

const STATUSES = [200, 502];

/**
 * Serves the switches: `GET /fault`, and `PUT /fault` with `{ "fault", "status" }`. They have their own port, because the
 * service's port is closed while the service is down.
 * @param url `{base_url}` of the order API.
 */
export async function startSwitches(url: string, faults: Faults): Promise<{ url: string; close(): Promise<void> }> {
  const server = Fastify({ forceCloseConnections: true });
  server.setErrorHandler(answerServiceError);
  refuseForeignRequests(server);
  server.get('/fault', async () => ({ url, ...faults.state() }));
  server.put('/fault', async ({ body }) => {
    await faults.change(stateIn(body));
    return { url, ...faults.state() };
  });
  return { url: await server.listen({ host: '127.0.0.1', port: 0 }), close: () => server.close() };
}

function stateIn(body: unknown): FaultState {
  const { fault, status } = (body ?? {}) as Record<string, unknown>;
  const named = faultNames.find((name: FaultName) => name === fault);
  if (named === undefined) {
    throw new ServiceError(400, 'unknown_fault', `The property fault must be one of ${faultNames.join(', ')}.`);
  }
  if (named !== 'html') return { fault: named };
  if (status !== undefined && !STATUSES.includes(status as number)) {
    throw new ServiceError(400, 'unknown_status', `The property status must be one of ${STATUSES.join(', ')}.`);
  }
  return { fault: named, status: (status as number | undefined) ?? 200 };
}
