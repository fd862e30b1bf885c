import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function listen(server: Server, port: number): Promise<string> {
  // No limit, because slow uploads of 1 GiB take longer than Node's default of five minutes.
  server.requestTimeout = 0;
  // No limit: a request would fail if the server closed its idle connection at that moment.
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

const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request is refused, or undefined if it comes from a program on this machine. A browser on this machine may show any web page. It
 * sends `Origin` with each POST, `Sec-Fetch-Site` with each request of a page, and the page's host name as `Host` if that name resolves to
 * this machine.
 */
export function foreignReason({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const { host, origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined || site !== 'none') return 'Only programs on this machine may call this server.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server accepts only requests from this machine: use the host name 127.0.0.1 or localhost.';
}
