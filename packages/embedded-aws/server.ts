import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventBridgeOperations } from './events/service.ts';
import { authorize, checkRights } from './iam/authorization.ts';
import { stsOperations } from './iam/service.ts';
import { sendError, sendResult } from './protocol/answer.ts';
import { type Call, type Exchange, protocolOf, readCall } from './protocol/call.ts';
import { notSupported } from './protocol/errors.ts';
import type { Operations } from './protocol/operation.ts';
import { serveWrapped } from './request-wrapper.ts';
import type { Services } from './services.ts';

/** Listens on 127.0.0.1 and returns the address. */
export async function listen(server: Server, port: number): Promise<string> {
  // No limit: a slow client needs longer than Node's default of five minutes for a body of 1 GiB.
  server.requestTimeout = 0;
  // If the server closed a connection while a client sends its next request, that request would fail.
  server.keepAliveTimeout = 0;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stops listening, and aborts all requests in progress. */
export async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** Answers every request of programs on this machine. */
export function createRouter(services: Services): RequestListener {
  const route = createRoute(services);
  const { requestWrapper: wrapper } = services.options;
  return async (request, response) => {
    const foreign = foreignReason(request);
    if (foreign !== undefined) {
      response.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(foreign);
      return;
    }
    response.once('close', services.activity.begin());
    const exchange: Exchange = {
      request,
      response,
      protocol: protocolOf(request),
      requestId: randomBytes(8).toString('hex').toUpperCase(),
    };
    response.setHeader('date', new Date(services.clock.now()).toUTCString());
    response.setHeader(exchange.protocol === 's3' ? 'x-amz-request-id' : 'x-amzn-requestid', exchange.requestId);
    try {
      const call = await readCall(exchange);
      await (wrapper ? serveWrapped(wrapper, route, call) : route(call));
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

/** Returns a function that executes a call, or throws an AwsError if the caller may not make it. */
function createRoute(services: Services): (call: Call) => Promise<void> {
  const operations: Record<string, Operations> = {
    dynamodb: services.dynamoDb.operations(),
    states: services.stepFunctions.operations(),
    secretsmanager: services.secretsManager.operations,
    kms: services.kms.operations,
    sqs: services.sqs.operations(),
    logs: services.logs,
    events: eventBridgeOperations(services.bus),
    cloudformation: services.cloudFormation.operations,
    sts: stsOperations(services.account, services.iam),
  };
  return async (call) => {
    authorize(services, call);
    const { protocol, service, operation: name, input, accessKeyId } = call;
    if (protocol === 's3')
      return services.s3.serve(call, (caller, right) => checkRights(services, caller, [right], 's3'));
    if (protocol === 'lambda') return services.lambda.serve(call);
    const known = operations[service] ?? {};
    const operation = Object.hasOwn(known, name) ? known[name] : undefined;
    if (operation) return sendResult(call, await operation(input, accessKeyId));
    const code = protocol === 'query' ? 'InvalidAction' : 'UnknownOperationException';
    throw notSupported(code, `the operation ${name} of ${service}`);
  };
}

/** The host names by which programs on this machine call it. */
const OWN_NAMES = new Set(['127.0.0.1', 'localhost']);

/**
 * Why a request does not come from a program on this machine, or undefined if it does. A browser may run a page from anywhere. It sends the
 * page's origin with each POST, and the page's host name if that name resolves to this machine.
 */
function foreignReason({ headers: { host, origin } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (origin !== undefined) return 'Web pages may not use this server: it serves programs of this machine.';
  const name = host?.replace(/:\d*$/, '').toLowerCase();
  if (name !== undefined && OWN_NAMES.has(name)) return undefined;
  return 'This server serves this machine alone: use the host name 127.0.0.1 or localhost.';
}
