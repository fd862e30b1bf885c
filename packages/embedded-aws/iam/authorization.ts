import type { Call } from '../protocol/call.ts';
import { AwsError } from '../protocol/operation.ts';
import type { Services } from '../services.ts';
import { rightsOf } from './operation-rights.ts';
import type { NeededRight } from './policy.ts';

/**
 * Throws an AwsError unless a call is signed for its service, or not at all, and the policies of its caller allow it. Callers other than
 * functions and people are not restricted.
 */
export function authorize(services: Services, call: Call): void {
  checkScope(call);
  const { accessKeyId, protocol } = call;
  if (services.iam.restricts(accessKeyId)) checkRights(services, accessKeyId, rightsOf(call, services), protocol);
}

/** Throws an AwsError unless the policies of the caller allow this. */
export function checkRights(
  { encryptionKeys, iam }: Services,
  accessKeyId: string,
  needed: NeededRight[],
  protocol: Call['protocol'],
): void {
  if (!iam.restricts(accessKeyId)) return;
  const message = iam.denial(accessKeyId, encryptionKeys.withKeyRights(needed));
  if (message === undefined) return;
  if (protocol === 's3' || protocol === 'query') throw new AwsError('AccessDenied', message, 403);
  throw new AwsError('AccessDeniedException', message);
}

function checkScope({ request, protocol, service }: Call): void {
  const signedFor = /Credential=[^,\s]*\/([^/,\s]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1];
  if (signedFor === undefined || signedFor === service) return;
  const message = `Credential should be scoped to correct service: '${service}'. `;
  if (protocol === 'query') throw new AwsError('SignatureDoesNotMatch', message, 403);
  if (protocol !== 's3') throw new AwsError('InvalidSignatureException', message);
  throw new AwsError(
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; incorrect service "${signedFor}". This endpoint belongs to "s3".`,
  );
}
