import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventBridgeOperations } from './events/service.ts';
import { authorize } from './iam/authorization.ts';
import { stsQuery } from './iam/service.ts';
import { LambdaService } from './lambda/service.ts';
import { AwsError } from './protocol/errors.ts';
import type { Serve } from './protocol/http.ts';
import { sendError, serveJson } from './protocol/json-service.ts';
import { isQueryRequest, serveQuery } from './protocol/query-service.ts';
import { serveWrapped } from './request-wrapper.ts';
import type { Services } from './services.ts';

/** Listens on 127.0.0.1 and returns the address. */
export async function listen(server: Server, port: number): Promise<string> {
  // No limit: a slow client needs longer than Node's default of five minutes for a body of 1 GiB.
  server.requestTimeout = 0;
  // A connection that the server closes while a client sends its next request would fail that request.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stops listening, and breaks off what is under way. */
export async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** Routes requests: by `X-Amz-Target` to the JSON services, by path to Lambda, forms to the Query services, the rest to S3. */
export function createRouter(services: Services): Serve {
  const routes = new Map<string, Serve>([
    ['DynamoDB_20120810', serveJson('DynamoDB', services.dynamoDb.operations())],
    ['AWSStepFunctions', serveJson('Step Functions', services.stepFunctions.operations())],
    ['secretsmanager', serveJson('Secrets Manager', services.secretsManager.operations())],
    ['TrentService', serveJson('KMS', services.kms.operations())],
    ['AmazonSQS', serveJson('SQS', services.sqs.operations())],
    ['Logs_20140328', serveJson('CloudWatch Logs', services.logs.operations())],
    ['AWSEvents', serveJson('EventBridge', eventBridgeOperations(services.bus))],
  ]);
  const serveForm = serveQuery([services.cloudFormation.query(), stsQuery(services.account, services.iam)]);
  const route = authorize(services, (request, response) => {
    const target = request.headers['x-amz-target'];
    if (typeof target !== 'string') {
      if (LambdaService.serves(request.url ?? '/')) return services.lambda.serve(request, response);
      if (isQueryRequest(request)) return serveForm(request, response);
      return services.s3.serve(request, response);
    }
    const serve = routes.get(target.split('.')[0] ?? '');
    if (serve) return serve(request, response);
    request.resume();
    const message = `The embedded AWS does not support the service of ${target}.`;
    sendError(response, new AwsError('UnknownOperationException', message), request.headers['content-type']);
  });
  const { requestWrapper } = services.options;
  return (request, response) => {
    const foreign = foreignReason(request);
    if (foreign !== undefined) {
      response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(foreign);
      return;
    }
    const end = services.activity.begin();
    response.once('close', end);
    response.setHeader('date', new Date(services.clock.now()).toUTCString());
    return requestWrapper ? serveWrapped(requestWrapper, route, request, response) : route(request, response);
  };
}

/** The host names by which programs on this machine call it. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request does not come from a program on this machine, or undefined if it does. A browser may run a page from anywhere. It
 * sends the page's origin with each POST, and the page's own host name if that name was pointed to this machine.
 */
function foreignReason({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (origin !== undefined) return 'Web pages may not use this server: it serves programs of this machine.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server serves this machine alone: use the host name 127.0.0.1 or localhost.';
}
