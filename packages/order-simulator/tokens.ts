import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { ServiceError } from './errors.ts';
import type { SimulatorSettings } from './settings.ts';

export interface IssuedToken {
  /** Claim `jti`. */
  tokenId: string;
  scopes: string[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
  isRevoked?: true;
}

export type Tokens = ReturnType<typeof createTokens>;

/** Issues JWTs and checks them by the simulator's clock (specification, section 5). */
export function createTokens(settings: SimulatorSettings, now: () => number) {
  const key = randomBytes(32);
  const issuedTokens = new Map<string, IssuedToken>();
  return {
    issue: async (scope: string): Promise<{ token: string; tokenId: string }> => {
      const tokenId = randomUUID();
      const issuedAt = Math.floor(now() / 1000);
      const expiresAt = issuedAt + settings.tokenLifetimeSeconds;
      const token = await new SignJWT({ scope })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(settings.clientId)
        .setJti(tokenId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(key);
      issuedTokens.set(token, { tokenId, scopes: scope.split(' '), expiresAt: expiresAt * 1000 });
      return { token, tokenId };
    },
    /**
     * Checks the token in an `Authorization` header and returns its claim `jti`. Throws 401 if it is missing, wrong, expired or
     * revoked, and 403 if it was not issued for the given scope.
     */
    check: (authorization: string | undefined, scope?: string): string => {
      const [scheme, token] = authorization?.split(' ') ?? [];
      if (scheme?.toLowerCase() !== 'bearer' || !token) {
        throw unauthorized('token_missing', 'Every call needs the header Authorization: Bearer <ACCESS_TOKEN>.');
      }
      const issued = issuedTokens.get(token);
      if (!issued) throw unauthorized('token_invalid', 'The token is not valid.', 'invalid_token');
      if (now() >= issued.expiresAt) throw unauthorized('token_expired', 'The token has expired.', 'invalid_token');
      if (issued.isRevoked) throw unauthorized('token_invalid', 'The token was revoked.', 'invalid_token');
      if (scope !== undefined && !issued.scopes.includes(scope)) throw outOfScope(scope);
      return issued.tokenId;
    },
    /** Adds a token that another simulator issued. */
    add: (token: string, issued: IssuedToken): void => void issuedTokens.set(token, issued),
    all: issuedTokens as ReadonlyMap<string, IssuedToken>,
    revokeAll: (): void => {
      for (const issued of issuedTokens.values()) issued.isRevoked = true;
    },
  };
}

/** RFC 6750, section 3.1. */
function outOfScope(scope: string): ServiceError {
  return new ServiceError(403, 'insufficient_scope', `The token was not issued for the scope ${scope}.`, {
    'www-authenticate': `Bearer realm="order-service", error="insufficient_scope", scope="${scope}"`,
  });
}

/** RFC 6750, section 3: if the request has no token, the answer has no error code. */
function unauthorized(code: string, message: string, error?: string): ServiceError {
  const details = error ? `, error="${error}", error_description="${message}"` : '';
  return new ServiceError(401, code, message, { 'www-authenticate': `Bearer realm="order-service"${details}` });
}
