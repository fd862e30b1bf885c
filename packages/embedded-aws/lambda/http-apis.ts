import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBytes } from '../protocol/call.ts';
import { foreignReason, listen, stop } from '../protocol/listening.ts';
import { type AwsError, isJsonObject, type Json, type JsonObject } from '../protocol/operation.ts';
import type { Activity } from '../time/activity.ts';
import type { LambdaService } from './service.ts';

/** Content types of bodies that are passed to functions as text. Other bodies are in Base64. */
const TEXT = /^(text\/|application\/(json|javascript|xml)\b)/i;

const LARGEST = 6 * 1024 * 1024;

interface Address {
  server: Server;
  url: string;
  functionName?: string;
}

/**
 * HTTP APIs, each with one function and a port of its own on 127.0.0.1. Requests and answers have the payload format 2.0
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html).
 */
export function createHttpApis(lambda: LambdaService, activity: Activity) {
  const addresses: Address[] = [];
  const serve = async ({ functionName = '' }: Address, request: IncomingMessage, response: ServerResponse) => {
    response.once('close', activity.begin());
    const foreign = foreignReason(request);
    try {
      if (foreign !== undefined) return refuse(response, 403, foreign);
      const event = eventOf(request, await readBytes(request, LARGEST));
      const result = await lambda.find(functionName).invoke(JSON.stringify(event));
      if (result.functionError) return refuse(response, 500, 'Internal Server Error');
      answer(response, JSON.parse(result.payload) as Json);
    } catch (error) {
      const { status = 500, message } = error as Partial<AwsError>;
      refuse(response, status, message ?? '');
    }
  };
  return {
    /** Opens ports until there are `count` addresses. Must run before templates are loaded, which is synchronous and needs the addresses. */
    open: async (count: number): Promise<void> => {
      while (addresses.length < count) {
        const server = createServer();
        const address: Address = { server, url: await listen(server, 0) };
        server.on('request', (request, response) => void serve(address, request, response));
        addresses.push(address);
      }
    },
    assign: (functionName: string): string => {
      const address = addresses.find((one) => one.functionName === undefined);
      if (!address) throw new Error('No address is open for an HTTP API.');
      address.functionName = functionName;
      return address.url;
    },
    close: async (): Promise<void> => {
      await Promise.all(addresses.map(({ server }) => stop(server)));
    },
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}

/** The event's properties that the functions of this project use. */
function eventOf({ method, url = '/', headers: given }: IncomingMessage, body: Buffer) {
  const [rawPath = '', rawQueryString = ''] = url.split(/\?(.*)/s);
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
  const isText = TEXT.test(headers['content-type'] ?? '');
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers,
    requestContext: { http: { method, path: rawPath } },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Sends a function's result. Without a `statusCode`, the result is the body, in JSON. */
function answer(response: ServerResponse, result: Json): void {
  const isWhole = isJsonObject(result) && result.statusCode !== undefined;
  const { statusCode, headers, body = '', isBase64Encoded } = isWhole ? result : ofBody(result);
  response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries((headers ?? {}) as JsonObject)) response.setHeader(name, String(value));
  response.writeHead(Number(statusCode)).end(Buffer.from(String(body), isBase64Encoded === true ? 'base64' : 'utf8'));
}

const ofBody = (result: Json): JsonObject => ({
  statusCode: 200,
  body: typeof result === 'string' ? result : JSON.stringify(result),
});
