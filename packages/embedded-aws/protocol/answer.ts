import type { ServerResponse } from 'node:http';
import { XMLBuilder } from 'fast-xml-parser';
import type { Call, Exchange } from './call.ts';
import { AwsError } from './operation.ts';

const builder = new XMLBuilder({ ignoreAttributes: false });

export function sendResult(
  { request, response, protocol, service, operation, requestId, input }: Call,
  result: unknown,
) {
  const members = result ?? {};
  if (protocol === 'json') return sendJson(response, 200, members, request.headers['content-type']);
  const answer = { [`${operation}Result`]: members, ResponseMetadata: { RequestId: requestId } };
  sendXml(response, 200, `${operation}Response`, answer, `http://${service}.amazonaws.com/doc/${input.Version}/`);
}

/** Sends an error in the format of the protocol. Any error but an AwsError is a bug in the embedded AWS and becomes a 500. */
export function sendError({ request, response, protocol, requestId }: Exchange, error: unknown): void {
  if (response.headersSent) {
    // Part of the body has been sent. Closing the connection is the only way to report an error.
    response.destroy();
    return;
  }
  const { code, message, status, fields } = error instanceof AwsError ? error : fault(error);
  // The rest of the request must be read, because clients read the answer only after they have sent everything.
  request.unpipe();
  request.resume();
  if (request.method === 'HEAD') {
    response.writeHead(status).end();
  } else if (protocol === 's3') {
    sendXml(response, status, 'Error', { Code: code, Message: message, Resource: request.url, RequestId: requestId });
  } else if (protocol === 'query') {
    const Type = status < 500 ? 'Sender' : 'Receiver';
    sendXml(response, status, 'ErrorResponse', { Error: { Type, Code: code, Message: message }, RequestId: requestId });
  } else {
    response.setHeader('x-amzn-errortype', code);
    const contentType = protocol === 'json' ? request.headers['content-type'] : undefined;
    sendJson(response, status, { __type: code, message, ...fields }, contentType);
  }
}

function fault(error: unknown): AwsError {
  return new AwsError('InternalFailure', error instanceof Error ? error.message : String(error), 500);
}

function sendJson(response: ServerResponse, status: number, body: object, contentType = 'application/json'): void {
  response.writeHead(status, { 'content-type': contentType }).end(JSON.stringify(body));
}

/**
 * Sends an XML element. Undefined members are omitted. An array becomes a repeated element. Errors must not have a namespace, or the CLI
 * does not find their code.
 */
export function sendXml(response: ServerResponse, status: number, root: string, members: object, namespace?: string) {
  const body = builder.build({ [root]: { ...(namespace && { '@_xmlns': namespace }), ...members } });
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
