import { randomBytes, timingSafeEqual } from 'node:crypto';

const HOSTS = ['127.0.0.1', 'localhost'];

/** The headers that say where a request comes from. */
export interface Visitor {
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

/**
 * Lets one person's browser in. Each token opens the console once and becomes a cookie. No page of another address can call the
 * console, neither by a form or script, nor by a name that points to 127.0.0.1 (DNS rebinding).
 */
export class Entrance {
  /** Cookies are shared by all ports of a host, so the name has the port. */
  readonly cookie: string;
  readonly #sessions: Buffer[] = [];
  readonly #hosts: string[];
  #token = secret();

  constructor(port: number) {
    this.cookie = `loan-orders-console-${port}`;
    this.#hosts = HOSTS.map((host) => `${host}:${port}`);
  }

  /** The token that opens the console next. */
  get token(): string {
    return this.#token;
  }

  /** Exchanges a token for the value of a cookie. Undefined if it is not the token, or was used. */
  open(token: string): string | undefined {
    if (!isSame(Buffer.from(token), Buffer.from(this.#token))) return undefined;
    this.#token = secret();
    const session = secret();
    this.#sessions.push(Buffer.from(session));
    return session;
  }

  /** Whether the request has the cookie of a session. */
  knows({ headers }: Visitor): boolean {
    const cookies = String(headers.cookie ?? '').split(/;\s*/);
    const own = cookies.filter((one) => one.startsWith(`${this.cookie}=`));
    // A program at another port can set a cookie of the same name for a longer path, which the browser sends first.
    const given = own.map((one) => Buffer.from(one.slice(this.cookie.length + 1)));
    return given.some((value) => this.#sessions.some((session) => isSame(value, session)));
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
