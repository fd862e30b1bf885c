import { randomUUID } from 'node:crypto';
import { type OrderError, type RequestContext, Unauthorized } from '../errors.ts';
import type { Connections } from '../http/connections.ts';
import type { HttpResponse } from '../http/http.ts';
import { sendSecurely } from '../http/send-securely.ts';
import type { tokenSettings } from '../settings.ts';
import { hideSecret } from '../used-secrets.ts';
import { identifyingHeaders } from './identifying-headers.ts';
import { type CallKind, factsOf, failureOf, objectIn, readBody, throwFailure, unexpected } from './service-failures.ts';
import { CREDENTIALS_REFUSED } from './what-answers-prove.ts';

/** The content of the credentials secret, as JSON. */
export interface Credentials {
  client_id: string;
  client_secret: string;
  scope?: string;
}

/** An access token. Times are milliseconds since the epoch. */
export interface AccessToken {
  value: string;
  issuedAt: number;
  expiresAt: number;
  /** Whether it was requested because the service refused the one before. */
  isReplacement?: boolean;
}

/** The stage's token settings, the full address of the token endpoint, `{auth_url}/oauth2/token`, and a call's timeout in milliseconds. */
export type TokenSettings = typeof tokenSettings & {
  url: string;
  callTimeout: number;
  connections?: Connections | undefined;
  /** The release that requests name as their sender. Default: none. */
  release?: string | undefined;
};

/** A token that fits into a header after `Bearer `. Servers limit headers: Node's server to 16 KiB in all. */
const SENDABLE = /^[\x21-\x7e]{1,12288}$/;
const SENDABLE_WORDS = '(it must be 1 to 12,288 printable ASCII characters without spaces)';

/** Milliseconds that a token is used at most, even if `expires_in` is longer. */
const MAX_LIFETIME = 30 * 86_400_000;

export const GET_TOKEN = 'Get a token';

/** Calls `POST {auth_url}/oauth2/token` with grant `client_credentials` (specification, section 5; RFC 6749, 4.4). */
export async function requestToken(
  credentials: Credentials,
  settings: TokenSettings,
  context: RequestContext = { requestId: randomUUID() },
): Promise<AccessToken> {
  const service = 'the authorization service';
  const call: CallKind = { title: GET_TOKEN, context, service, kind: 'token', isSecret: true };
  const identifying = identifyingHeaders(settings.release);
  const { client_id, client_secret, scope } = credentials;
  hideSecret(client_secret);
  const isBasic = settings.clientAuthentication === 'basic';
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(!isBasic && { client_id, client_secret }),
    ...(scope && { scope }),
  }).toString();
  const response = await sendSecurely(settings.connections, false, async () => ({
    method: 'POST',
    url: new URL(settings.url),
    headers: {
      ...identifying(context),
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
      accept: 'application/json',
      ...(isBasic && { authorization: basicCredentials(client_id, client_secret) }),
    },
    body,
    idleTimeout: settings.callTimeout,
    totalTimeout: settings.callTimeout,
    reuseConnection: false,
  })).catch(throwFailure(call));
  if ([400, 401, 403].includes(response.status)) throw await refusalOf(response, call);
  if (response.status !== 200) throw await failureOf(response, call);
  const text = await readBody(response, call).catch(throwFailure(call));
  const { access_token: value, expires_in } = objectIn(text, response, call);
  if (typeof value !== 'string' || value === '') throw unexpected(response, call, 'the body has no access_token', text);
  if (!SENDABLE.test(value))
    throw unexpected(response, call, `its access_token cannot be sent in a header ${SENDABLE_WORDS}`, text);
  const issuedAt = Date.now();
  return { value, issuedAt, expiresAt: issuedAt + lifetime(expires_in, settings) };
}

/** Only some errors of the endpoint itself are a verdict. Gateways know no credentials, and answer otherwise. */
async function refusalOf(response: HttpResponse, call: CallKind): Promise<OrderError> {
  const text = await readBody(response, call).catch(throwFailure(call));
  const error = errorIn(text);
  if (error === undefined || !CREDENTIALS_REFUSED.includes(error))
    return failureOf(response, call, error && `with the error ${error}`, text);
  return new Unauthorized(
    `${call.title}: ${call.service} refused the credentials (${response.status}, ${error}). Check client_id, client_secret and scope in the credentials secret.`,
    { call: factsOf(response, call) },
  );
}

/** RFC 6749, 5.2. Undefined for a page, or any other error. */
function errorIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text);
    return [...CREDENTIALS_REFUSED, 'invalid_request', 'unsupported_grant_type'].find((one) => one === error);
  } catch {
    return undefined;
  }
}

/** Form-encodes the client's ID and secret before joining them (RFC 6749, 2.3.1). */
function basicCredentials(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((half) =>
    new URLSearchParams({ half }).toString().slice('half='.length),
  );
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

/** Milliseconds that a token may be used. `expires_in` may be absent, zero, negative, a string, or larger than any date. */
export function lifetime(
  expiresIn: unknown,
  settings: Pick<TokenSettings, 'expiresInUnit' | 'defaultLifetimeSeconds'>,
): number {
  const number = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  if (typeof number !== 'number' || !Number.isFinite(number) || number <= 0)
    return settings.defaultLifetimeSeconds * 1000;
  return Math.min(settings.expiresInUnit === 'seconds' ? number * 1000 : number, MAX_LIFETIME);
}

/** @throws Unauthorized if the secret has no value, or an incomplete one. Its message contains nothing of the value. */
export function credentialsIn(text: string | undefined): Credentials {
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    // Not the parser's error, because it quotes the secret.
    throw malformedSecret();
  }
  const { client_id, client_secret, scope } = (value ?? {}) as Record<string, unknown>;
  if (typeof client_id !== 'string' || typeof client_secret !== 'string' || !client_id || !client_secret)
    throw malformedSecret();
  return { client_id, client_secret, ...(typeof scope === 'string' && scope !== '' && { scope }) };
}

const malformedSecret = () =>
  new Unauthorized(
    "The credentials secret is not a JSON object with client_id and client_secret. Put the partner's credentials into it (docs/deployment.md, Credentials).",
  );
