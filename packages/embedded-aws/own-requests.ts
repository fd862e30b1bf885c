import type { IncomingMessage } from 'node:http';

/** The host names by which programs on this machine call it. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request does not come from a program on this machine, or undefined if it does. A browser may run a page from anywhere. It
 * sends the page's origin with each POST, and the page's own host name if that name was pointed to this machine.
 */
export function foreignReason({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (origin !== undefined) return 'Web pages may not use this server: it serves programs of this machine.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server serves this machine alone: use the host name 127.0.0.1 or localhost.';
}
