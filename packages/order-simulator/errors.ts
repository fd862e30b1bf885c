import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/** An error of the order API, answered as `{ "error": { "code", "message" } }` (specification, section 7: not shown). */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** An error of a token endpoint, answered as in RFC 6749, section 5.2 (specification, section 5: not shown). */
export class TokenError extends ServiceError {
  override name = 'TokenError';
}

/** Converts a thrown error. A bug in the simulator becomes a 500 and is printed on stderr. */
function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const { statusCode = 500, code, message = String(error) } = error as Partial<FastifyError>;
  if (statusCode >= 400 && statusCode < 500) return new ServiceError(statusCode, codeOf(statusCode, code), message);
  console.error(error);
  return new ServiceError(500, 'simulator_fault', message);
}

export async function answerServiceError(error: unknown, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { status, code, message, headers } = asServiceError(error);
  await reply.code(status).headers(headers).send({ error: { code, message } });
}

export async function answerTokenError(thrown: unknown, _request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { status, code, message, headers } = asServiceError(thrown);
  const error = thrown instanceof TokenError ? code : status < 500 ? 'invalid_request' : 'server_error';
  await reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send({ error, error_description: message });
}

function codeOf(statusCode: number, frameworkCode = ''): string {
  const codes: Record<number, string> = { 413: 'too_large', 415: 'unsupported_media_type' };
  return codes[statusCode] ?? (frameworkCode.includes('JSON') ? 'malformed_json' : 'malformed_request');
}
