import { LambdaService } from '../lambda/service.ts';
import { AwsError } from '../protocol/errors.ts';
import { isQueryRequest } from '../protocol/query-service.ts';
import { S3Error } from '../s3/s3-error.ts';
import type { AwsIncoming } from '../transport/http.ts';

/** The names for which requests to the JSON services are signed, by the prefix of X-Amz-Target. */
const SIGNED_FOR: Record<string, string> = {
  DynamoDB_20120810: 'dynamodb',
  AWSStepFunctions: 'states',
  secretsmanager: 'secretsmanager',
  TrentService: 'kms',
  AmazonSQS: 'sqs',
  Logs_20140328: 'logs',
  AWSEvents: 'events',
};

/** The error of a service for a request that is signed for another one; undefined if it is signed for this one, or not at all. */
export function scopeError(request: AwsIncoming, service: string | undefined): AwsError | S3Error | undefined {
  const signedFor = /Credential=[^,\s]*\/([^/,\s]+)\/aws4_request/.exec(request.headers.authorization ?? '')?.[1];
  if (signedFor === undefined || service === undefined || signedFor === service) return undefined;
  const message = `Credential should be scoped to correct service: '${service}'. `;
  if (isQueryRequest(request)) return new AwsError('SignatureDoesNotMatch', message, 403);
  if (service !== 's3') return new AwsError('InvalidSignatureException', message);
  return new S3Error(
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; incorrect service "${signedFor}". This endpoint belongs to "s3".`,
  );
}

/** The service that a request calls; undefined for a form, whose body names the service, and for an unknown service. */
export function calledService(request: AwsIncoming): string | undefined {
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') return SIGNED_FOR[target.split('.')[0] ?? ''];
  if (LambdaService.serves(request.url ?? '/')) return 'lambda';
  return isQueryRequest(request) ? undefined : 's3';
}
