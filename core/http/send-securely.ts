import { mayRefuseCertificate } from './certificate-failures.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { HttpFailure, type HttpRequest, type HttpResponse, sendRequest } from './http.ts';

/** Statuses with which services and gateways refuse a client certificate. They prove that nothing was done. */
const REFUSALS = [400, 401, 403];

/**
 * Sends a request with the stage's client certificate. If the certificate may have been refused, reads its secret again. If the secret now
 * has another one, sends the request once more with it, unless the request may have been carried out.
 * @param changes whether the call changes something at the service.
 * @param build makes the request anew for each attempt.
 * @throws HttpFailure, and what {@link Connections.current} and `build` throw.
 */
export async function sendSecurely(
  connections: Connections | undefined,
  changes: boolean,
  build: () => Promise<HttpRequest>,
): Promise<HttpResponse> {
  if (!connections) return sendRequest(build);
  const over = (connection: Connection) => sendRequest(async () => ({ ...(await build()), connection }));
  const connection = await connections.current();
  const first = await over(connection).catch((error: unknown) => {
    if (error instanceof HttpFailure) return error;
    throw error;
  });
  const isFailure = first instanceof HttpFailure;
  const mayBeDone = changes && isFailure && first.requestSent;
  if (isFailure ? mayRefuseCertificate(first) : REFUSALS.includes(first.status)) {
    if (mayBeDone) connections.doubt(connection);
    const next = mayBeDone ? undefined : await connections.renew(connection);
    if (next && !isFailure) first.body.destroy();
    if (next) return over(next);
  }
  if (isFailure) throw first;
  return first;
}
