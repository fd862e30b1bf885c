import { randomBytes, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { ServiceError } from './errors.ts';
import type { SimulatorSettings } from './settings.ts';

const algorithm = 'HS256';

interface VerifiedToken {
  /** Claim `jti`. */
  tokenId: string;
  scopes: string[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Issues signed JWTs and checks them, by the simulator's clock (specification, section 5). */
export class Tokens {
  private readonly key = randomBytes(32);
  private readonly settings: SimulatorSettings;
  private readonly now: () => number;
  private valid = new Set<string>();
  /** Tokens that have been verified. A new verification for each call would take longer than most calls. */
  private readonly verified = new Map<string, VerifiedToken>();

  constructor(settings: SimulatorSettings, now: () => number) {
    this.settings = settings;
    this.now = now;
  }

  async issue(scope: string): Promise<{ token: string; tokenId: string }> {
    const tokenId = randomUUID();
    const issuedAt = Math.floor(this.now() / 1000);
    const token = await new SignJWT({ scope })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setSubject(this.settings.clientId)
      .setJti(tokenId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + this.settings.tokenLifetimeSeconds)
      .sign(this.key);
    this.valid.add(tokenId);
    return { token, tokenId };
  }

  /**
   * Checks the token in an `Authorization` header and returns its claim `jti`. Throws 401 if it is missing, wrong, expired or
   * revoked, and 403 if it was not issued for the given scope.
   */
  async check(authorization: string | undefined, scope?: string): Promise<string> {
    const [scheme, token] = authorization?.split(' ') ?? [];
    if (scheme?.toLowerCase() !== 'bearer' || !token) {
      throw unauthorized('token_missing', 'Every call needs the header Authorization: Bearer <ACCESS_TOKEN>.');
    }
    const { tokenId, scopes } = await this.verify(token);
    if (!this.valid.has(tokenId)) throw unauthorized('token_invalid', 'The token was revoked.', 'invalid_token');
    if (scope !== undefined && !scopes.includes(scope)) throw outOfScope(scope);
    return tokenId;
  }

  /** Makes all tokens issued so far invalid. */
  revokeAll(): void {
    this.valid = new Set();
  }

  private async verify(token: string): Promise<VerifiedToken> {
    const known = this.verified.get(token);
    if (known && this.now() < known.expiresAt) return known;
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: [algorithm],
        currentDate: new Date(this.now()),
        requiredClaims: ['jti', 'exp'],
      });
      const scopes = String(payload.scope ?? '').split(' ');
      const verified = { tokenId: payload.jti ?? '', scopes, expiresAt: Number(payload.exp) * 1000 };
      this.verified.set(token, verified);
      return verified;
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw unauthorized('token_expired', 'The token has expired.', 'invalid_token');
      if (error instanceof errors.JOSEError)
        throw unauthorized('token_invalid', 'The token is not valid.', 'invalid_token');
      throw error;
    }
  }
}

/** RFC 6750, section 3.1. */
function outOfScope(scope: string): ServiceError {
  return new ServiceError(403, 'insufficient_scope', `The token was not issued for the scope ${scope}.`, {
    'www-authenticate': `Bearer realm="order-service", error="insufficient_scope", scope="${scope}"`,
  });
}

/** RFC 6750, section 3: the answer to a request without a token has no error code. */
function unauthorized(code: string, message: string, error?: string): ServiceError {
  const details = error ? `, error="${error}", error_description="${message}"` : '';
  return new ServiceError(401, code, message, { 'www-authenticate': `Bearer realm="order-service"${details}` });
}
