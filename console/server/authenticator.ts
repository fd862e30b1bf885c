import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const HOSTS = ['127.0.0.1', 'localhost'];

/** Milliseconds in which the browser must begin what it loads by itself. */
const ONCE_WITHIN = 60_000;

/** A request, and the headers that say where it comes from. */
type Visitor = Pick<FastifyRequest, 'method' | 'url' | 'headers'>;

/**
 * Lets one person's browser in. Each token opens the console once and becomes a key, which only the page has and sends with each
 * request. There is no cookie: a browser sends those of a host to each of its ports, and other users listen there. No page of another
 * address can call the console, neither by a form or script, nor by a name that points to 127.0.0.1 (DNS rebinding).
 */
export class Authenticator {
  /** The headers that are accepted. */
  readonly #keys: Buffer[] = [];
  readonly #hosts: string[];
  /** Until when each address works that needs no key. */
  readonly #once = new Map<string, number>();
  #token = secret();

  constructor(port: number) {
    this.#hosts = HOSTS.map((host) => `${host}:${port}`);
  }

  /** The token that opens the console next. */
  get token(): string {
    return this.#token;
  }

  /** Exchanges a token for a key. Undefined if it is not the token, or was used. */
  open(token: string): string | undefined {
    if (!isSame(Buffer.from(token), Buffer.from(this.#token))) return undefined;
    this.#token = secret();
    const key = secret();
    this.#keys.push(Buffer.from(`Bearer ${key}`));
    return key;
  }

  /** An address for what the browser loads by itself, and sends no key with: it answers one GET, soon. */
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

  /** Why the request is refused because of where it comes from; undefined if it is not. */
  foreignReason({ method, headers }: Visitor): string | undefined {
    const { host, origin } = headers;
    if (!this.#hosts.includes(String(host))) return 'The console answers at 127.0.0.1 only.';
    if (origin !== undefined && origin !== `http://${host}`) return 'The console answers no other web page.';
    if (origin === undefined && method !== 'GET' && method !== 'HEAD')
      return 'The console changes nothing without Origin.';
    // A link of another page may lead here, and shows no more than the browser's own person may see. Scripts and frames may not.
    const site = headers['sec-fetch-site'];
    const isOwn = site === undefined || site === 'same-origin' || site === 'none';
    return isOwn || (headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document')
      ? undefined
      : 'The console answers no other web page.';
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
