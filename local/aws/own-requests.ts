import type { IncomingMessage } from 'node:http';

/** The names under which programs of this machine reach it. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request is not one of a program of this machine; undefined where it is. A browser runs pages from anywhere: it names the page's
 * origin with whatever a page posts, and where a page's own host name was pointed to this machine, the request carries that name.
 */
export function foreignReason({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (origin !== undefined) return 'Web pages may not use this server: it serves programs of this machine.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server serves this machine alone: use the host name 127.0.0.1 or localhost.';
}
