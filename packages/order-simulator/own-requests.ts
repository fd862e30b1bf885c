import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** The `Host` names of requests from this machine. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request is refused, or undefined if it comes from a program on this machine. A browser on this machine may show any web
 * page. It sends `Origin` with each POST, `Sec-Fetch-Site` with each request of a page, and the page's host name as `Host` if that name
 * resolves to this machine.
 */
export function foreignReason({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const { host, origin, 'sec-fetch-site': site = 'none' } = headers;
  if (origin !== undefined || site !== 'none') return 'Only programs on this machine may call this server.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server accepts only requests from this machine: use the host name 127.0.0.1 or localhost.';
}

/** Answers requests that do not come from a program on this machine with 403, before all other hooks. */
export function refuseForeignRequests(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) => {
    const foreign = foreignReason(request);
    if (foreign === undefined) return;
    // Skips all other hooks: the call is not recorded and gets no fault.
    reply.hijack();
    reply.raw.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(foreign);
  });
}
