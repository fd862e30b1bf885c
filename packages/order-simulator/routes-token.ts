import { timingSafeEqual } from 'node:crypto';
import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hideSecrets } from './call-record.ts';
import type { SimulatorContext } from './context.ts';
import { answerTokenError, TokenError } from './errors.ts';
import { refuseOtherMethods } from './other-methods.ts';
import type { SimulatorSettings } from './settings.ts';

const DEFAULT_SCOPE = 'orders';

type Credentials = Record<'clientId' | 'clientSecret', string | undefined>;

const WITH_BASIC = { 'www-authenticate': 'Basic realm="order-service"' };

/** A token endpoint (specification, section 5). @param basicAllowed whether clients may authenticate with HTTP Basic. */
export function tokenEndpoint(context: SimulatorContext, path: string, basicAllowed: boolean) {
  return async (server: FastifyInstance): Promise<void> => {
    server.removeAllContentTypeParsers();
    await server.register(formbody);
    server.setErrorHandler(answerTokenError);
    server.post(path, (request, reply) => {
      reply.header('cache-control', 'no-store');
      return issueToken(context, request, basicAllowed);
    });
    refuseOtherMethods(server, path, ['POST']);
  };
}

async function issueToken({ settings, tokens }: SimulatorContext, request: FastifyRequest, basicAllowed: boolean) {
  const fields = (request.body ?? {}) as Record<string, unknown>;
  request.recordedCall.requestBody = { kind: 'form', fields: hideSecrets(fields) as Record<string, unknown> };
  const grantType = textField(fields, 'grant_type');
  if (!grantType) throw new TokenError(400, 'invalid_request', 'The field grant_type is missing.');
  if (grantType !== 'client_credentials') {
    throw new TokenError(400, 'unsupported_grant_type', 'The only supported grant is client_credentials.');
  }
  requireCredentials(credentialsOf(request, fields, settings, basicAllowed), settings);
  if (settings.scopeRequired && !textField(fields, 'scope')) {
    throw new TokenError(400, 'invalid_scope', 'The field scope is missing.');
  }
  const scope = textField(fields, 'scope') || DEFAULT_SCOPE;
  if (settings.allowedScopes && !scope.split(' ').every((name) => settings.allowedScopes?.includes(name))) {
    throw new TokenError(400, 'invalid_scope', 'This scope is not granted to this client.');
  }
  const { token, tokenId } = await tokens.issue(scope);
  request.recordedCall.tokenId = tokenId;
  return { access_token: token, ...lifetimeField(settings), token_type: 'Bearer', scope };
}

function credentialsOf(
  request: FastifyRequest,
  fields: Record<string, unknown>,
  settings: SimulatorSettings,
  basicAllowed: boolean,
): Credentials {
  const inBody = { clientId: textField(fields, 'client_id'), clientSecret: textField(fields, 'client_secret') };
  const { authorization } = request.headers;
  if (basicAllowed && settings.tokenAuthentication === 'basic' && !authorization) {
    throw new TokenError(401, 'invalid_client', 'Clients must authenticate with HTTP Basic.', WITH_BASIC);
  }
  if (!authorization || !basicAllowed) return inBody;
  if (inBody.clientSecret !== undefined) {
    throw new TokenError(400, 'invalid_request', 'Credentials must be in the header or in the body, not in both.');
  }
  const [scheme, encoded = ''] = authorization.split(' ');
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  if (scheme?.toLowerCase() !== 'basic') return { clientId: undefined, clientSecret: undefined };
  return { clientId: formDecode(clientId), clientSecret: formDecode(secret.join(':')) };
}

/** RFC 6749, section 2.3.1: client id and secret are form-encoded before they are joined. */
function formDecode(text: string): string {
  return new URLSearchParams(`value=${text}`).get('value') ?? '';
}

function requireCredentials({ clientId, clientSecret }: Credentials, settings: SimulatorSettings): void {
  const isKnown = same(clientId, settings.clientId) && same(clientSecret, settings.clientSecret);
  if (isKnown) return;
  throw new TokenError(401, 'invalid_client', 'Unknown client_id or wrong client_secret.', WITH_BASIC);
}

function same(given: string | undefined, expected: string): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function textField(fields: Record<string, unknown>, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new TokenError(400, 'invalid_request', `The field ${name} was sent more than once.`);
}

function lifetimeField({ expiresInUnit, tokenLifetimeSeconds }: SimulatorSettings): { expires_in?: number } {
  if (expiresInUnit === 'absent') return {};
  return { expires_in: expiresInUnit === 'seconds' ? tokenLifetimeSeconds : tokenLifetimeSeconds * 1000 };
}
