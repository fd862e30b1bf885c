import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceUnavailable } from '../errors.ts';
import type { TokenSource } from '../service/authorized-calls.ts';
import type { AccessToken, Credentials } from './token-request.ts';

/** The item that the whole fleet shares. */
export interface SharedToken {
  read(): Promise<string | undefined>;
  /** Answers whether this caller may now ask for a token: nobody else does, and nobody has since `seen` was read. */
  lock(owner: string, until: number, now: number, seen: string | undefined): Promise<boolean>;
  /** Does nothing when the lock has meanwhile gone to another owner, who writes a token of their own. */
  write(owner: string, sealed: string): Promise<void>;
  unlock(owner: string): Promise<void>;
}

export interface FleetTokenOptions {
  readCredentials(): Promise<Credentials>;
  requestToken(credentials: Credentials): Promise<AccessToken>;
  seal(token: AccessToken, credentials: Credentials): string;
  open(sealed: string, credentials: Credentials): AccessToken | undefined;
  shared: SharedToken;
  /** Milliseconds that a lock is held at the most: longer than the token endpoint's timeout. */
  lockDuration: number;
}

const WAIT_FOR_OTHERS = 150;

/**
 * Memory, then the fleet's shared item, then the token endpoint under a conditional lock: token
 * requests grow with time, not with orders or concurrency.
 */
export class FleetToken implements TokenSource {
  private readonly options: FleetTokenOptions;
  private credentials: Credentials | undefined;
  private current: { token: AccessToken; refreshAt: number } | undefined;

  constructor(options: FleetTokenOptions) {
    this.options = options;
  }

  async token(): Promise<string> {
    if (this.current && Date.now() < this.current.refreshAt) return this.current.token.value;
    return this.obtain((token) => token.expiresAt > Date.now());
  }

  /** The service refused `refused`: the secret is read again (it may have been rotated) and that token is never used again. */
  async replace(refused: string): Promise<string> {
    this.current = undefined;
    this.credentials = undefined;
    return this.obtain((token) => token.value !== refused && token.expiresAt > Date.now());
  }

  private async obtain(usable: (token: AccessToken) => boolean): Promise<string> {
    const { shared, lockDuration } = this.options;
    const owner = randomUUID();
    const begun = performance.now();
    do {
      const sealed = await shared.read();
      const token = sealed === undefined ? undefined : await this.open(sealed);
      if (token && usable(token) && Date.now() < refreshTime(token)) return this.keep(token);
      if (await shared.lock(owner, Date.now() + lockDuration, Date.now(), sealed)) return this.request(owner);
      // Somebody else is asking. A token in its last tenth still serves meanwhile.
      if (token && usable(token)) return token.value;
      await delay(WAIT_FOR_OTHERS * (0.5 + Math.random()));
    } while (performance.now() - begun < lockDuration);
    throw new ServiceUnavailable(
      'Get a token: another function is asking for it and has not finished in time. Nothing was sent.',
    );
  }

  /** A token that does not open was sealed under other credentials: they are read again, since they may have been rotated. */
  private async open(sealed: string): Promise<AccessToken | undefined> {
    const known = this.credentials && this.options.open(sealed, this.credentials);
    if (known) return known;
    this.credentials = await this.options.readCredentials();
    return this.options.open(sealed, this.credentials);
  }

  /** Under the lock, with the credentials as the secret holds them now: a request for a token is rare. */
  private async request(owner: string): Promise<string> {
    try {
      this.credentials = await this.options.readCredentials();
      const token = await this.options.requestToken(this.credentials);
      await this.options.shared.write(owner, this.options.seal(token, this.credentials));
      return this.keep(token);
    } catch (error) {
      // A lock that can't be given back runs out by itself; the error to report is the first one.
      await Promise.allSettled([this.options.shared.unlock(owner)]);
      throw error;
    }
  }

  private keep(token: AccessToken): string {
    this.current = { token, refreshAt: refreshTime(token) };
    return token.value;
  }
}

/** A moment of this function's own in the last tenth of the token's life, so that the fleet does not ask all at once. */
function refreshTime(token: AccessToken): number {
  return token.expiresAt - (token.expiresAt - token.issuedAt) * 0.1 * (0.5 + Math.random() / 2);
}
