import type { IncomingMessage } from 'node:http';
import { AwsError } from '../protocol/errors.ts';

/** The services whose requests are forms. */
const QUERY_SERVICES = ['cloudformation', 'sts'];

/** The error of a service for a request that is signed for another one; undefined if it is signed for this one, or not at all. */
export function scopeError(request: IncomingMessage, service: string | undefined): AwsError | undefined {
  const signedFor = /Credential=[^,\s]*\/([^/,\s]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1];
  if (signedFor === undefined || service === undefined || signedFor === service) return undefined;
  const message = `Credential should be scoped to correct service: '${service}'. `;
  if (QUERY_SERVICES.includes(service)) return new AwsError('SignatureDoesNotMatch', message, 403);
  if (service !== 's3') return new AwsError('InvalidSignatureException', message);
  return new AwsError(
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; incorrect service "${signedFor}". This endpoint belongs to "s3".`,
  );
}
