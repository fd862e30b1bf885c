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
  const next = isRefusal(first) ? await renewed(connections, connection, first, call) : undefined;
  if (next) {
    if (!(first instanceof HttpFailure)) first.body.destroy();
    return sendRequest({ ...(await build()), connection: next });
  }
  if (first instanceof HttpFailure) throw first;
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

function isRefusal(result: HttpResponse | HttpFailure): boolean {
  return result instanceof HttpFailure ? mayRefuseCertificate(result) : REFUSALS.includes(result.status);
}

/** Another connection for a second attempt; undefined if there is none, or if the first one may have been carried out. */
async function renewed(
  connections: Connections,
  refused: Connection,
  result: HttpResponse | HttpFailure,
  { changes }: { changes: boolean },
): Promise<Connection | undefined> {
  const mayBeDone = changes && result instanceof HttpFailure && result.requestSent;
  if (!mayBeDone) return connections.renew(refused);
  connections.doubt(refused);
  return undefined;
}
