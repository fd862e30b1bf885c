import { Unauthorized } from './errors.ts';
import { HttpFailure, sendRequest } from './http.ts';
import { failureOf, failureWithoutResponse, objectIn, readBody, unexpected } from './service-failures.ts';

/** What the credentials secret holds, as JSON. */
export interface Credentials {
  client_id: string;
  client_secret: string;
  scope?: string;
}

/** An access token, when it was issued and until when it may be used (milliseconds since the epoch). */
export interface AccessToken {
  value: string;
  issuedAt: number;
  expiresAt: number;
}

export interface TokenSettings {
  /** The whole address of the token endpoint, `{auth_url}/oauth2/token`. */
  url: string;
  /** Unit of `expires_in` (specification, 5: not shown). */
  expiresInUnit: 'seconds' | 'milliseconds';
  /** Assumed where `expires_in` is absent or unusable, in seconds. */
  defaultLifetime: number;
  /** Milliseconds for the call. */
  callTimeout: number;
}

/** `POST {auth_url}/oauth2/token`, grant `client_credentials` (specification, section 5; RFC 6749, 4.4). */
export async function requestToken(credentials: Credentials, settings: TokenSettings): Promise<AccessToken> {
  const call = { operation: 'Get a token', service: 'the authorization service', changes: false };
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: credentials.client_id,
    client_secret: credentials.client_secret,
    ...(credentials.scope && { scope: credentials.scope }),
  }).toString();
  try {
    const response = await sendRequest({
      method: 'POST',
      url: new URL(settings.url),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        accept: 'application/json',
      },
      body,
      idleTimeout: settings.callTimeout,
      totalTimeout: settings.callTimeout,
      reuseConnection: false,
    });
    if ([400, 401, 403].includes(response.status)) {
      response.body.destroy();
      throw new Unauthorized(
        `${call.operation}: the authorization service refused the credentials (${response.status}). Check client_id, client_secret and scope in the credentials secret.`,
        { httpStatus: response.status },
      );
    }
    if (response.status !== 200) throw await failureOf(response, call);
    const value = objectIn(await readBody(response, call), response, call);
    const token = value.access_token;
    if (typeof token !== 'string' || token === '') throw unexpected(response, call, 'the body has no access_token');
    const issuedAt = Date.now();
    return { value: token, issuedAt, expiresAt: issuedAt + lifetime(value.expires_in, settings) };
  } catch (error) {
    if (error instanceof HttpFailure) throw failureWithoutResponse(error, call);
    throw error;
  }
}

/** Milliseconds that a token may be used; `expires_in` may be absent, zero, negative or a numeric string. */
export function lifetime(
  expiresIn: unknown,
  settings: Pick<TokenSettings, 'expiresInUnit' | 'defaultLifetime'>,
): number {
  const number = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0) return settings.defaultLifetime * 1000;
  return settings.expiresInUnit === 'seconds' ? number * 1000 : number;
}
