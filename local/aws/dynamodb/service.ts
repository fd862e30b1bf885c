import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import dynalite from 'dynalite';
import { AwsError } from '../errors.ts';
import { sendError } from '../json-service.ts';

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
    this.#dynalite.emit('request', request, response);
  }
}
