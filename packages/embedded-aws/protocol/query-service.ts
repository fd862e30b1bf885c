import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { XMLBuilder } from 'fast-xml-parser';
import { scopeError } from '../iam/credential-scope.ts';
import { AwsError } from './errors.ts';
import { accessKeyOf, readBody } from './http.ts';

/**
 * An operation of a Query service: takes the form's fields and the access key of the caller, and returns the result's properties or
 * throws an AwsError.
 */
export type QueryOperation = (input: URLSearchParams, accessKeyId: string) => object;
export type QueryOperations = Record<string, QueryOperation>;

/** A service of the AWS Query protocol. Requests name its API version, not the service. */
export interface QueryService {
  name: string;
  version: string;
  operations: QueryOperations;
}

const builder = new XMLBuilder({ ignoreAttributes: false, suppressEmptyNode: true });

/** Whether the request uses the AWS Query protocol: a form posted to `/`, which S3 has no operation for. */
export function isQueryRequest({ method, url = '/', headers }: IncomingMessage): boolean {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  return method === 'POST' && isForm && (url === '/' || url.startsWith('/?'));
}

/** Serves the AWS Query protocol: a form with `Action=…&Version=…`, answered in XML. */
export function serveQuery(services: readonly QueryService[]) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const input = new URLSearchParams((await readBody(request)).toString());
      const [action, version] = [input.get('Action') ?? '', input.get('Version') ?? ''];
      const service = services.find((candidate) => candidate.version === version);
      const operation = service && Object.hasOwn(service.operations, action) ? service.operations[action] : undefined;
      if (!service || !operation) {
        const of = service ? service.name : 'Query';
        throw new AwsError('InvalidAction', `The embedded AWS has no ${of} operation ${action} (version ${version}).`);
      }
      const misdirected = scopeError(request, service.name.toLowerCase());
      if (misdirected) throw misdirected;
      const namespace = `http://${service.name.toLowerCase()}.amazonaws.com/doc/${version}/`;
      sendXml(response, 200, {
        [`${action}Response`]: answer(namespace, action, operation(input, accessKeyOf(request))),
      });
    } catch (error) {
      sendQueryError(response, error);
    }
  };
}

/** A list in the form of the Query protocol. */
export function members(list: readonly unknown[]): { member: readonly unknown[] } {
  return { member: list };
}

function answer(namespace: string, action: string, result: object): object {
  return { '@_xmlns': namespace, [`${action}Result`]: result, ResponseMetadata: { RequestId: randomUUID() } };
}

/** Sends an error. Anything but an AwsError is a fault of the embedded AWS: a 500. */
export function sendQueryError(response: ServerResponse, error: unknown): void {
  const known = error instanceof AwsError;
  const Type = known ? 'Sender' : 'Receiver';
  const Code = known ? error.code : 'InternalFailure';
  const Message = error instanceof Error ? error.message : String(error);
  const body = { Error: { Type, Code, Message }, RequestId: randomUUID() };
  sendXml(response, known ? error.status : 500, { ErrorResponse: body });
}

function sendXml(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'text/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(body)}`);
}
