import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { SecureContext, TLSSocket } from 'node:tls';
import { type ClientCertificate, unusable } from './client-certificate.ts';

// Not an import: importing `node:tls` also reads all of Node's root certificates, which takes 6 to 10 ms.
const { createSecureContext, getCACertificates, rootCertificates } = process.getBuiltinModule('node:tls');

/**
 * Milliseconds that a request waits for the server to accept or refuse the connection. Most servers send a session ticket at once,
 * which ends the wait.
 */
const LONGEST_WAIT = 500;

type Created = (error: Error | null, socket?: Duplex) => void;

/**
 * Makes a new connection for each request, and gives it to the request only when the server has had time to refuse the client. With TLS 1.3
 * the client's handshake ends before the server has checked the client's certificate. If a request is written at once and the server
 * refuses the certificate, the outcome of the request is unknown. A request that waits was certainly not sent.
 */
export class AcceptedAgent extends Agent {
  constructor(options: AgentOptions = {}) {
    // A resumed session would skip the check of the certificates.
    super({ ...options, keepAlive: false, maxCachedSessions: 0 });
  }

  override createConnection(options: AgentOptions, created: Created): undefined {
    const socket = super.createConnection(options) as TLSSocket;
    const refused = (error?: Error) => settle(() => created(error ?? closed()));
    const closedEarly = () => refused();
    const idle = () => socket.destroy(new Error(`no progress for ${options.timeout} ms`));
    const accepted = () => settle(() => created(null, socket));
    // A write inside the session event is lost. After a wait, a refusal that has arrived in the meantime is read first.
    const acceptedSoon = () => setImmediate(accepted);
    let wait: NodeJS.Timeout | undefined;
    let isSettled = false;
    const settle = (tell: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(wait);
      socket.off('close', closedEarly).off('timeout', idle).off('session', acceptedSoon).off('error', refused);
      // A late error has no other listener if the request has given up.
      if (socket.destroyed) socket.on('error', () => undefined);
      tell();
    };
    socket.once('error', refused).once('close', closedEarly).once('timeout', idle);
    socket.once('secureConnect', () => {
      // Up to TLS 1.2 the server has already checked the certificate.
      if (socket.getProtocol() !== 'TLSv1.3') return accepted();
      socket.once('session', acceptedSoon);
      wait = setTimeout(acceptedSoon, LONGEST_WAIT);
    });
    return undefined;
  }
}

function closed(): Error {
  return Object.assign(new Error('the connection was closed during the handshake'), { code: 'ECONNRESET' });
}

/** How requests connect with TLS. */
export interface Connection {
  /** Reuses idle connections. */
  kept: Agent;
  /** Makes a new connection for each request. See {@link AcceptedAgent}. */
  fresh: Agent;
}

/** Connections that trust Node's root certificates and show no client certificate. */
export const PLAIN = connectionWith(undefined);

/**
 * @param authorities PEM. They are trusted beside those that Node trusts.
 * @throws Unauthorized if OpenSSL refuses the client certificate, for instance because its key is too short.
 */
export function connectionFor(authorities: string | undefined, certificate: ClientCertificate | undefined): Connection {
  // A list replaces what Node trusts, so it must contain it.
  const ca = authorities === undefined ? undefined : [...(getCACertificates?.() ?? rootCertificates), authorities];
  if (!certificate) return connectionWith(createSecureContext({ ...(ca && { ca }) }));
  const key = certificate.privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    return connectionWith(createSecureContext({ ...(ca && { ca }), cert: certificate.chain, key }));
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw unusable(`has a certificate that TLS cannot use (${code})`);
  }
}

/** Closes idle connections, and those in use as soon as their request has ended. */
export function retire({ kept }: Connection): void {
  kept.keepSocketAlive = () => false;
  for (const sockets of Object.values(kept.freeSockets)) sockets?.forEach((socket) => void socket.destroy());
}

function connectionWith(secureContext: SecureContext | undefined): Connection {
  const options = { ...(secureContext && { secureContext }) };
  return { kept: new Agent({ ...options, keepAlive: true }), fresh: new AcceptedAgent(options) };
}
