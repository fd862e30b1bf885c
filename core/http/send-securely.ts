import { mayRefuseCertificate } from './certificate-failures.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { HttpFailure, type HttpRequest, type HttpResponse, sendRequest } from './http.ts';

/** Statuses with which services and gateways refuse a client certificate. They prove that nothing was done. */
const REFUSALS = [400, 401, 403];

/**
 * Sends a request with the stage's client certificate. If the certificate may have been refused, reads its secret again. If the
 * secret has another one by now, sends the request once more with it, unless the request may have been carried out.
 * @param build makes the request anew for each attempt.
 * @throws HttpFailure, and what {@link Connections.current} and `build` throw.
 */
export async function sendSecurely(
  connections: Connections | undefined,
  call: { changes: boolean },
  build: Build,
): Promise<HttpResponse> {
  if (!connections) return sendRequest(build);
  const connection = await connections.current();
  const first = await responseOrFailure(over(connection, build));
  const isFailure = first instanceof HttpFailure;
  const isRefusal = isFailure ? mayRefuseCertificate(first) : REFUSALS.includes(first.status);
  const next = isRefusal
    ? await renewed(connections, connection, call.changes && isFailure && first.requestSent)
    : undefined;
  if (next) {
    if (!isFailure) first.body.destroy();
    return sendRequest(over(next, build));
  }
  if (isFailure) throw first;
  return first;
}

type Build = () => Promise<HttpRequest>;

function over(connection: Connection, build: Build): Build {
  return async () => ({ ...(await build()), connection });
}

async function responseOrFailure(build: Build): Promise<HttpResponse | HttpFailure> {
  try {
    return await sendRequest(build);
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
