import { randomBytes } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { eventBridgeOperations } from './events/service.ts';
import { authorize, checkRights } from './iam/authorization.ts';
import { stsOperations } from './iam/service.ts';
import { sendError, sendResult } from './protocol/answer.ts';
import { type Call, type Exchange, protocolOf, readCall } from './protocol/call.ts';
import { foreignReason } from './protocol/listening.ts';
import { notSupported, type Operations } from './protocol/operation.ts';
import { serveWrapped } from './request-wrapper.ts';
import type { Services } from './services.ts';

/** Answers requests from programs on this machine, and refuses others. */
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

/** Returns a function that executes a call. It throws an AwsError if the caller lacks a permission. */
function createRoute(services: Services): (call: Call) => Promise<void> {
  const operations: Record<string, Operations> = {
    dynamodb: services.dynamoDb.operations,
    states: services.stepFunctions.operations,
    secretsmanager: services.secretsManager.operations,
    kms: services.kms.operations,
    sqs: services.sqs.operations,
    events: eventBridgeOperations(services.bus),
    cloudformation: services.cloudFormation.operations,
    sts: stsOperations(services.account, services.iam, services.clock),
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
