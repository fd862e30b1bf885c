import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const HOSTS = ['127.0.0.1', 'localhost'];

/** Milliseconds in which the browser must begin a download. */
const ONCE_WITHIN = 60_000;

type Visitor = Pick<FastifyRequest, 'method' | 'url' | 'headers' | 'socket'>;

/**
 * Lets one person's browser in. Each token opens the console once and is exchanged for a key, which only the page has and sends with each
 * request. There is no cookie: a browser sends a host's cookies to all its ports, where other users may listen. No page of another origin
 * can call the console: not by a form or script, and not by DNS rebinding (a name that points to 127.0.0.1).
 */
export class Authenticator {
  /** The headers that are accepted. */
  readonly #keys: Buffer[] = [];
  /** The expiry of each address that works once without a key. */
  readonly #once = new Map<string, number>();
  token = secret();

  /** Exchanges a token for a key; undefined if the token is wrong or already used. */
  open(token: string): string | undefined {
    if (!isSame(Buffer.from(token), Buffer.from(this.token))) return undefined;
    this.token = secret();
    const key = secret();
    this.#keys.push(Buffer.from(`Bearer ${key}`));
    return key;
  }

  /** An address for a download by the browser, which sends no key. It works for one GET within a short time. */
  once(path: string): string {
    const now = Date.now();
    for (const [address, until] of this.#once) if (until < now) this.#once.delete(address);
    const address = `${path}${path.includes('?') ? '&' : '?'}once=${secret()}`;
    this.#once.set(address, now + ONCE_WITHIN);
    return address;
  }

  /** Whether the request has a key, or is for an address that works once. */
  knows({ method, url, headers }: Visitor): boolean {
    const until = this.#once.get(url);
    if (this.#once.delete(url)) return method === 'GET' && Date.now() <= Number(until);
    const given = Buffer.from(String(headers.authorization ?? ''));
    return this.#keys.some((key) => isSame(given, key));
  }

  /** Why the request's origin is refused; undefined if it is accepted. */
  foreignReason({ method, headers, socket }: Visitor): string | undefined {
    const { host, origin } = headers;
    if (!HOSTS.some((name) => host === `${name}:${socket.localPort}`)) return 'The console answers at 127.0.0.1 only.';
    if (origin === undefined && method !== 'GET' && method !== 'HEAD')
      return 'The console changes nothing without Origin.';
    // Links from other pages are allowed, because they only show the user their own data. Scripts and frames are not.
    const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': what } = headers;
    const isLink = mode === 'navigate' && what === 'document';
    const isOwn = (origin ?? `http://${host}`) === `http://${host}` && (/^(same-origin|none)$/.test(site) || isLink);
    return isOwn ? undefined : 'The console answers no other web page.';
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
