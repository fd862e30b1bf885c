import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OrderError, ServiceUnavailable, Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { timeIn } from '../time.ts';
import { hideSecret } from '../used-secrets.ts';
import type { TokenSource } from './authorized-calls.ts';
import type { AccessToken, Credentials } from './token-request.ts';

/** The item that holds the token of all functions, encrypted. Times are milliseconds since the epoch. */
export interface SharedToken {
  /**
   * No function may request a token before these times: the token endpoint asked us to wait (`notBefore`), or the service refused a
   * replacement (`pausedUntil`).
   */
  read(): Promise<{ sealed?: string | undefined; notBefore?: number | undefined; pausedUntil?: number | undefined }>;
  /**
   * Returns true if `owner` now holds the lock. False if another owner holds it, if the token is no longer `seen`, or if no token may be
   * requested yet.
   */
  lock(owner: string, until: number, now: number, seen: string | undefined): Promise<boolean>;
  /** Does nothing if another owner now holds the lock: that owner writes a token, too. */
  write(owner: string, sealed: string): Promise<void>;
  unlock(owner: string, notBefore?: number): Promise<void>;
  /** Does nothing if the token is no longer `seen`. */
  pause(seen: string, pausedUntil: number): Promise<void>;
}

export interface FleetTokenOptions {
  readCredentials(): Promise<Credentials>;
  requestToken(credentials: Credentials): Promise<AccessToken>;
  shared: SharedToken;
  /** Milliseconds after which a lock expires. Longer than the token endpoint's timeout. */
  lockDuration: number;
}

/** Milliseconds between two reads of the shared item while another function requests a token. */
const WAIT_FOR_OTHERS = 150;

/** Milliseconds. A replacement that is refused so soon never worked. It is tried again as much later, since clocks differ, and then replaced. */
const NEW = 60_000;
/** A token that lives shorter may have expired on its way. */
const isNew = ({ issuedAt, expiresAt }: AccessToken) =>
  Date.now() - issuedAt < Math.min(NEW, (expiresAt - issuedAt) / 2);

/**
 * Takes the token from memory, else from the shared item, else from the token endpoint. A lock lets only one function request a token at a
 * time. So the number of requests does not depend on the number of orders.
 */
export function fleetToken({ readCredentials, requestToken, shared, lockDuration }: FleetTokenOptions): TokenSource {
  let credentials: Credentials | undefined;
  let current: { token: AccessToken; refreshAt: number } | undefined;
  const keep = (token: AccessToken): string => {
    current = { token, refreshAt: refreshTime(token) };
    return token.value;
  };
  /** Decrypts the token. If that fails, reads the secret again and tries once more, since it may have been rotated. */
  const open = async (sealed: string): Promise<AccessToken | undefined> => {
    const opened = credentials && openToken(sealed, credentials);
    if (opened) return opened;
    credentials = await readCredentials();
    return openToken(sealed, credentials);
  };
  /**
   * Requests a token while this function holds the lock. Reads the secret each time, since requests are rare.
   * @param fallback a token that may still be used if the token endpoint asks us to wait.
   */
  const request = async (owner: string, fallback: string | undefined, replaces: unknown): Promise<string> => {
    try {
      credentials = await readCredentials();
      const token = { ...(await requestToken(credentials)), isReplacement: replaces !== undefined };
      await shared.write(owner, sealToken(token, credentials));
      return keep(token);
    } catch (error) {
      await release(shared, owner, error);
      if (error instanceof Throttled && fallback !== undefined) return fallback;
      throw error;
    }
  };
  const obtain = async (refused?: string): Promise<string> => {
    const usable = ({ value, expiresAt }: AccessToken) => value !== refused && expiresAt > Date.now();
    const owner = randomUUID();
    const begun = performance.now();
    do {
      const { sealed, notBefore, pausedUntil } = await shared.read();
      if (pausedUntil !== undefined && pausedUntil > Date.now()) throw paused(pausedUntil);
      const token = sealed === undefined ? undefined : await open(sealed);
      if (token && usable(token) && Date.now() < refreshTime(token)) return keep(token);
      const isAllowed = notBefore === undefined || notBefore <= Date.now();
      if (isAllowed && (await shared.lock(owner, Date.now() + lockDuration, Date.now(), sealed)))
        return request(owner, token && usable(token) ? token.value : undefined, refused ?? pausedUntil);
      // Another function requests a token, or none may. Until then, a token in the last tenth of its life is still used.
      if (token && usable(token)) return token.value;
      if (!isAllowed) throw throttledUntil(notBefore);
      await delay(WAIT_FOR_OTHERS * (0.5 + Math.random()));
    } while (performance.now() - begun < lockDuration);
    throw new ServiceUnavailable(
      'Get a token: another function is requesting one and did not finish in time. Nothing was sent.',
    );
  };
  /** Whether this token is a replacement that never worked, so that a newer one would be refused, too. After a 401, all functions pause. */
  const isFutile = async (refused: string, status: number): Promise<boolean> => {
    const { sealed, pausedUntil = 0 } = await shared.read();
    const token = sealed === undefined || pausedUntil > Date.now() ? undefined : await open(sealed);
    if (!sealed || token?.value !== refused || !token.isReplacement || !isNew(token)) return false;
    if (status === 401) await shared.pause(sealed, Date.now() + NEW);
    return true;
  };
  return {
    token: async () => (current && Date.now() < current.refreshAt ? current.token.value : obtain()),
    /** Reads the secret again, since it may have been rotated. */
    replace: async (refused, status) => {
      current = undefined;
      credentials = undefined;
      if (!(await isFutile(refused, status))) return obtain(refused);
      // A gateway may answer a single 403, so the call is made once more with the same token.
      return status === 403 ? refused : undefined;
    },
  };
}

/** Releases the lock after a failed request. If the token endpoint asked us to wait, all functions wait. */
async function release(shared: SharedToken, owner: string, failure: unknown): Promise<void> {
  const seconds = failure instanceof OrderError ? failure.call.retryAfterSeconds : undefined;
  const notBefore = seconds === undefined ? undefined : Date.parse(timeIn(seconds));
  const [released] = await Promise.allSettled([shared.unlock(owner, notBefore)]);
  if (released.status === 'fulfilled') return;
  // The lock expires. The request's own error is the one to report.
  logger.error('The token lock could not be released', { error: (released.reason as Error).name });
}

const paused = (until: number) =>
  new ServiceUnavailable(
    `Get a token: the service refused a new one (401). Calls wait until ${new Date(until).toISOString()}. Nothing was sent.`,
  );

function throttledUntil(notBefore: number): Throttled {
  const time = new Date(notBefore).toISOString();
  const retryAfterSeconds = Math.ceil((notBefore - Date.now()) / 1000);
  return new Throttled(`Get a token: the authorization service asked us to back off until ${time}. Nothing was sent.`, {
    call: { retryAfterSeconds },
  });
}

/** When to renew the token: at a random time in the last tenth of its life. Functions then do not all ask at once. */
const refreshTime = (token: AccessToken): number =>
  token.expiresAt - (token.expiresAt - token.issuedAt) * 0.1 * (0.5 + Math.random() / 2);

/**
 * Encrypts the shared token (AES-256-GCM) with a key derived from the client secret (HKDF-SHA-256, RFC 5869). So reading
 * the table is not enough to use the token. After a rotation of the credentials the token cannot be decrypted, and is replaced.
 */
export function sealToken(token: AccessToken, credentials: Credentials): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(credentials), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(token), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

/** Decrypts the token; undefined if it was encrypted with other credentials, or is not an encrypted token. */
export function openToken(sealed: string, credentials: Credentials): AccessToken | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(credentials), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    const opened = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as AccessToken;
  } catch {
    // Not an error: the caller then requests a new token.
    return undefined;
  }
}

function sealingKey(credentials: Credentials): Buffer {
  hideSecret(credentials.client_secret);
  return Buffer.from(hkdfSync('sha256', credentials.client_secret, credentials.client_id, 'order-service-token', 32));
}
