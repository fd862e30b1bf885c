import type { IncomingMessage } from 'node:http';
import { LambdaService } from '../lambda/service.ts';
import { AwsError } from '../protocol/errors.ts';
import { accessKeyOf, readBody, type Serve } from '../protocol/http.ts';
import { parseObject } from '../protocol/json-service.ts';
import { isQueryRequest } from '../protocol/query-service.ts';
import { isS3Request, sendErrorOf } from '../request-wrapper.ts';
import type { Services } from '../services.ts';
import { scopeError } from './credential-scope.ts';
import { rightsOfOperation } from './operation-rights.ts';
import type { NeededRight } from './policy.ts';
import { rightsOfS3Request } from './s3-rights.ts';
import { STS_VERSION } from './service.ts';

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

/**
 * Serves a request that is signed for the service that it calls. Those of functions and people are served only if their policies
 * allow it. Other callers are not restricted.
 */
export function authorize(services: Services, serve: Serve): Serve {
  return (request, response) => {
    const misdirected = scopeError(request, calledService(request));
    if (misdirected) return sendErrorOf(request, response, misdirected);
    const accessKeyId = accessKeyOf(request);
    if (!services.iam.restricts(accessKeyId)) return serve(request, response);
    return refusal(services, accessKeyId, request).then((error) =>
      error ? sendErrorOf(request, response, error) : serve(request, response),
    );
  };
}

async function refusal(services: Services, accessKeyId: string, request: IncomingMessage): Promise<unknown> {
  try {
    const needed = services.encryptionKeys.withKeyRights(await neededRights(services, request));
    const message = services.iam.denial(accessKeyId, needed);
    if (message === undefined) return undefined;
    if (isS3Request(request) || isQueryRequest(request)) return new AwsError('AccessDenied', message, 403);
    return new AwsError('AccessDeniedException', message);
  } catch (error) {
    // The request can't be read: answer with the error of its service.
    return error;
  }
}

async function neededRights(services: Services, request: IncomingMessage): Promise<NeededRight[]> {
  if (isS3Request(request)) return rightsOfS3Request(services.s3, request);
  const { 'x-amz-target': target } = request.headers;
  const body = (await readBody(request)).toString();
  if (typeof target === 'string') return rightsOfOperation(services, target, parseObject(body));
  if (!isQueryRequest(request)) return [{ action: 'lambda:InvokeFunction', resource: '*' }];
  const form = new URLSearchParams(body);
  // Everybody may ask who they are.
  if (form.get('Version') === STS_VERSION && form.get('Action') === 'GetCallerIdentity') return [];
  return [
    { action: `cloudformation:${form.get('Action')}`, resource: services.cloudFormation.arnOf(form.get('StackName')) },
  ];
}

/** The service that a request calls; undefined for a form, whose body names the service, and for an unknown service. */
function calledService(request: IncomingMessage): string | undefined {
  const target = request.headers['x-amz-target'];
  if (typeof target === 'string') return SIGNED_FOR[target.split('.')[0] ?? ''];
  if (LambdaService.serves(request.url ?? '/')) return 'lambda';
  return isQueryRequest(request) ? undefined : 's3';
}
