import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import dynalite from 'dynalite';
import { AwsError } from '../errors.ts';
import { readBody, sendError } from '../json-service.ts';

/** What dynalite knows; it answers anything else without saying what it misses. */
const OPERATIONS = new Set([
  ...['BatchGetItem', 'BatchWriteItem', 'CreateTable', 'DeleteItem', 'DeleteTable', 'DescribeTable'],
  ...['DescribeTimeToLive', 'GetItem', 'ListTables', 'PutItem', 'Query', 'Scan', 'TagResource', 'UntagResource'],
  ...['ListTagsOfResource', 'UpdateItem', 'UpdateTable'],
]);

/** DynamoDB: dynalite, in memory, reached without a port of its own. */
export class DynamoDbService {
  readonly #dynalite: Server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

  serve(request: IncomingMessage, response: ServerResponse): void {
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    if (!OPERATIONS.has(operation)) {
      request.resume();
      const message = `The embedded AWS has no DynamoDB operation ${operation}.`;
      sendError(response, new AwsError('UnknownOperationException', message), request.headers['content-type']);
      return;
    }
    // Signatures are not verified here, and dynalite would ask for one.
    request.headers.authorization ??= 'AWS4-HMAC-SHA256 Credential=local, SignedHeaders=host, Signature=none';
    request.headers['x-amz-date'] ??= new Date().toISOString();
    readBody(request).then(
      (body) => this.#dynalite.emit('request', replay(request, body), response),
      // The client broke its own request off: there is nobody to answer. dynalite would end the process.
      () => response.destroy(),
    );
  }
}

/** The request once more, as a stream that can't break off. */
function replay({ method, url, headers, socket }: IncomingMessage, body: Buffer): IncomingMessage {
  const again = Object.assign(Readable.from([body]), { method, url, headers, socket, connection: socket });
  return again as unknown as IncomingMessage;
}
