import type { IncomingMessage, ServerResponse } from 'node:http';
import { AwsError } from './errors.ts';
import { readBody } from './http.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** An operation of a JSON service: takes the request's body, and returns the answer's body or throws an AwsError. */
export type Operation = (input: JsonObject) => unknown;
export type Operations = Record<string, Operation>;

/** Serves the protocols AWS JSON 1.0 and 1.1: `X-Amz-Target: <prefix>.<operation>`. */
export function serveJson(service: string, operations: Operations) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const contentType = request.headers['content-type'] ?? 'application/x-amz-json-1.0';
    try {
      const name = String(request.headers['x-amz-target']).split('.').pop() ?? '';
      const input = parseObject((await readBody(request)).toString());
      const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
      if (!operation) {
        throw new AwsError('UnknownOperationException', `The embedded AWS has no ${service} operation ${name}.`);
      }
      sendJson(response, 200, ((await operation(input)) ?? {}) as JsonObject, contentType);
    } catch (error) {
      sendError(response, error, contentType);
    }
  };
}

export function parseObject(text: string): JsonObject {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Answered below, like JSON that is not an object.
  }
  throw new AwsError('SerializationException', 'The body of the request is not a JSON object.');
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: Json | object,
  contentType = 'application/json',
) {
  response.writeHead(status, { 'content-type': contentType });
  response.end(JSON.stringify(body));
}

/** Sends an error. Anything but an AwsError is a fault of the embedded AWS: a 500. */
export function sendError(response: ServerResponse, error: unknown, contentType?: string): void {
  const known = error instanceof AwsError;
  const code = known ? error.code : 'InternalFailure';
  const message = error instanceof Error ? error.message : String(error);
  response.setHeader('x-amzn-errortype', code);
  sendJson(
    response,
    known ? error.status : 500,
    { __type: code, message, ...(known ? error.fields : {}) },
    contentType,
  );
}

/** A string property of a request. Throws a ValidationException if it is missing. */
export function requiredString(input: JsonObject, name: string): string {
  const value = input[name];
  if (typeof value === 'string' && value !== '') return value;
  throw new AwsError('ValidationException', `${name} is missing or not a string.`);
}

export function optionalString(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new AwsError('ValidationException', `${name} is not a string.`);
}

export function optionalNumber(input: JsonObject, name: string): number | undefined {
  const value = input[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw new AwsError('ValidationException', `${name} is not a number.`);
}
