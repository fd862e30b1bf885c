import { Agent } from 'node:https';
import type { SecureContext } from 'node:tls';
import { AcceptedAgent } from './accepted-agent.ts';
import { type ClientCertificate, unusable } from './client-certificate.ts';

// Not an import: importing `node:tls` also reads all of Node's root certificates, which takes 6 to 10 ms.
const { createSecureContext, getCACertificates } = process.getBuiltinModule('node:tls');

/** How requests are connected by TLS. */
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
  const ca = authorities === undefined ? undefined : [...getCACertificates(), authorities];
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
