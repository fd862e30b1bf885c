import { mayRefuseCertificate } from './certificate-failures.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { HttpFailure, type HttpRequest, type HttpResponse, sendRequest } from './http.ts';

/** Statuses with which services and gateways refuse a client certificate. They prove that nothing was done. */
const REFUSALS = [400, 401, 403];

/**
 * Sends a request with the stage's client certificate. If the certificate may have been refused, reads its secret again. If the
 * secret has another one by now, sends the request once more with it, unless the request may have been carried out.
 * @param build makes the request anew for each attempt, because a body can be read only once.
 * @throws HttpFailure, and what {@link Connections.current} and `build` throw.
 */
export async function sendSecurely(
  connections: Connections | undefined,
  call: { changes: boolean },
  build: () => Promise<HttpRequest>,
): Promise<HttpResponse> {
  if (!connections) return sendRequest(await build());
  const connection = await connections.current();
  const first = await responseOrFailure({ ...(await build()), connection });
  const isFailure = first instanceof HttpFailure;
  const isRefusal = isFailure ? mayRefuseCertificate(first) : REFUSALS.includes(first.status);
  const next = isRefusal
    ? await renewed(connections, connection, call.changes && isFailure && first.requestSent)
    : undefined;
  if (next) {
    if (!isFailure) first.body.destroy();
    return sendRequest({ ...(await build()), connection: next });
  }
  if (isFailure) throw first;
  return first;
}

async function responseOrFailure(request: HttpRequest): Promise<HttpResponse | HttpFailure> {
  try {
    return await sendRequest(request);
  } catch (error) {
    if (error instanceof HttpFailure) return error;
    throw error;
  }
}

/** Another connection for a second attempt; undefined if there is none, or if the first one may have been carried out. */
async function renewed(
  connections: Connections,
  refused: Connection,
  mayBeDone: boolean,
): Promise<Connection | undefined> {
  if (!mayBeDone) return connections.renew(refused);
  connections.doubt(refused);
  return undefined;
}
