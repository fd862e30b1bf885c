import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventBridgeOperations } from './events/service.ts';
import { authorize } from './iam/authorization.ts';
import { stsQuery } from './iam/service.ts';
import { LambdaService } from './lambda/service.ts';
import { foreignReason } from './own-requests.ts';
import { AwsError } from './protocol/errors.ts';
import { sendError, serveJson } from './protocol/json-service.ts';
import { isQueryRequest, serveQuery } from './protocol/query-service.ts';
import { serveWrapped } from './request-wrapper.ts';
import type { Services } from './services.ts';
import type { Serve } from './transport/http.ts';

/** Listens on the port of the embedded AWS. Until `serve` is called, it answers every request with 503. */
export class Endpoint {
  readonly #server: Server;
  #serve: Serve = (_request, response) => void response.writeHead(503).end();

  constructor() {
    this.#server = createServer((request, response) => {
      const foreign = foreignReason(request);
      if (foreign === undefined) void this.#serve(request, response);
      else response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(foreign);
    });
    // No limit: a slow client needs longer than Node's default of five minutes for a body of 1 GiB.
    this.#server.requestTimeout = 0;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => resolve());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  serve(serve: Serve): void {
    this.#serve = serve;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
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
    const end = services.activity.begin();
    response.once('close', end);
    response.setHeader('date', new Date(services.clock.now()).toUTCString());
    return requestWrapper ? serveWrapped(requestWrapper, route, request, response) : route(request, response);
  };
}
