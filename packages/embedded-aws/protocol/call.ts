import type { IncomingMessage, ServerResponse } from 'node:http';
import { AwsError, isJsonObject, type JsonObject, notSupported } from './operation.ts';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  /** `json` has an `X-Amz-Target`, `query` is a form, `lambda` is recognized by its path. All other requests are `s3`. */
  protocol: 'json' | 'query' | 'lambda' | 's3';
  requestId: string;
}

export interface Call extends Exchange {
  /** The prefix of the service's IAM actions, such as `dynamodb`. */
  service: string;
  /** The operation's name; for S3 the HTTP method. */
  operation: string;
  /** Empty for S3, whose bodies are streams. */
  body: string;
  /** The properties of the JSON object, or the fields of the form. Empty for Lambda and S3. */
  input: JsonObject;
  /** The access key that signed the request. Empty if it is not signed. */
  accessKeyId: string;
}

/** JSON services by the prefix of `X-Amz-Target`. */
const JSON_SERVICES: Record<string, string> = {
  DynamoDB_20120810: 'dynamodb',
  AWSStepFunctions: 'states',
  secretsmanager: 'secretsmanager',
  TrentService: 'kms',
  AmazonSQS: 'sqs',
  AWSEvents: 'events',
};

/** Services of the query protocol by API version, because requests do not name the service. */
const QUERY_SERVICES: Record<string, string> = {
  '2010-05-15': 'cloudformation',
  '2011-06-15': 'sts',
};

/** The operations of Lambda, as IAM names them. Only a stack deletes a whole function. */
const LAMBDA_OPERATIONS: [RegExp, string][] = [
  [/^POST [^?]*\/invocations$/, 'InvokeFunction'],
  [/^GET [^?]*\/versions(\?|$)/, 'ListVersionsByFunction'],
  [/^DELETE [^?]*\?Qualifier=\d+$/, 'DeleteFunction'],
];

/** The limit for bodies, except of S3 objects. Bytes. */
const LARGEST_BODY = 16 * 1024 * 1024;

export function protocolOf({ method, url = '/', headers }: IncomingMessage): Exchange['protocol'] {
  if (headers['x-amz-target'] !== undefined) return 'json';
  if (url.startsWith('/2015-03-31/')) return 'lambda';
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  // S3 has no operation for a form posted to `/`.
  return isForm && method === 'POST' && /^\/(\?|$)/.test(url) ? 'query' : 's3';
}

export async function readCall(exchange: Exchange): Promise<Call> {
  const { request, protocol } = exchange;
  const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const called = { ...exchange, accessKeyId, body: '', input: {} };
  if (protocol === 's3') return { ...called, service: 's3', operation: request.method ?? '' };
  const body = await readBody(request);
  if (protocol === 'lambda') {
    const asked = `${request.method} ${request.url}`;
    const [, operation] = LAMBDA_OPERATIONS.find(([pattern]) => pattern.test(asked)) ?? [];
    if (operation) return { ...called, body, service: 'lambda', operation };
    throw notSupported('UnknownOperationException', `${asked} of Lambda`);
  }
  if (protocol === 'query') {
    const input = Object.fromEntries(new URLSearchParams(body));
    const { Version: version = '', Action: operation = '' } = input;
    const service = QUERY_SERVICES[version];
    if (service) return { ...called, body, service, operation, input };
    throw notSupported('InvalidAction', `${operation} (version ${version})`);
  }
  const target = String(request.headers['x-amz-target']);
  const [prefix = '', operation = ''] = target.split('.');
  const service = JSON_SERVICES[prefix];
  if (service) return { ...called, body, service, operation, input: parseObject(body) };
  throw notSupported('UnknownOperationException', `the service of ${target}`);
}

export async function readBody(request: IncomingMessage): Promise<string> {
  return (await readBytes(request, LARGEST_BODY)).toString();
}

/** Throws an AwsError (413) if the body is too large. */
export async function readBytes(request: IncomingMessage, largest: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new AwsError('RequestTooLarge', `The request is larger than ${largest} bytes.`, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Falls through to the error below.
  }
  throw new AwsError('SerializationException', 'The body of the request is not a JSON object.');
}
