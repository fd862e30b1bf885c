import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function listen(server: Server, port: number): Promise<string> {
  // No limit: a slow client needs longer than Node's default of five minutes for a body of 1 GiB.
  server.requestTimeout = 0;
  // If the server closed a connection while a client sends its next request, that request would fail.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** The host names by which programs on this machine call it. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request does not come from a program on this machine, or undefined if it does. A browser may run a page from anywhere. It sends the
 * page's origin with each POST, and the page's host name if that name resolves to this machine.
 */
export function foreignReason({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (origin !== undefined) return 'Web pages may not use this server: it serves programs of this machine.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server serves this machine alone: use the host name 127.0.0.1 or localhost.';
}
