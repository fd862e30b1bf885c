import type { AwsRequest } from '../packages/embedded-aws/index.ts';
import { BENCH_KEY } from './laptop-client.ts';

/** A request of a function to a service of AWS. */
export interface CountedRequest {
  /** Name of the function that made it. */
  functionName: string;
  /** `DynamoDB`, `S3`, … */
  service: string;
  /** The SDK's name: `GetItem`, `PutObject`. */
  operation: string;
  /** For DynamoDB: the sort keys of the items, or the prefix of a query. */
  items: string[];
}

const services: Record<string, string> = {
  DynamoDB_20120810: 'DynamoDB',
  AWSStepFunctions: 'Step Functions',
  secretsmanager: 'Secrets Manager',
  TrentService: 'KMS',
};

const reads = new Set(['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems']);

export const isDynamoDbRead = ({ service, operation }: CountedRequest) =>
  service === 'DynamoDB' && reads.has(operation);
export const isDynamoDbWrite = ({ service, operation }: CountedRequest) =>
  service === 'DynamoDB' && !reads.has(operation);

/** Whether a request is only about the order's record, the stage's pause, the timeline, or the holder of its `orderId`. */
export function isRecordOrTimeline({ items }: CountedRequest): boolean {
  return (
    items.length > 0 &&
    items.every((item) => item === 'order' || item === 'pause' || item === 'holder' || item.startsWith('event#'))
  );
}

/** Undefined for a request of the bench or of the embedded AWS itself. */
export function countedRequest({
  service,
  operation,
  path,
  body,
  accessKeyId,
}: AwsRequest): CountedRequest | undefined {
  if (accessKeyId === '' || accessKeyId === BENCH_KEY.accessKeyId) return undefined;
  return {
    functionName: accessKeyId,
    service: services[service] ?? service,
    operation: service === 'S3' ? s3Operation(operation, path) : operation,
    items: service === 'DynamoDB_20120810' ? itemsOf(JSON.parse(body)) : [],
  };
}

function s3Operation(method: string, path: string): string {
  const query = new URL(path, 'http://s3').searchParams;
  if (query.has('list-type')) return 'ListObjectsV2';
  if (query.has('partNumber')) return 'UploadPart';
  if (query.has('uploads')) return 'CreateMultipartUpload';
  if (query.has('uploadId')) return 'CompleteMultipartUpload';
  return `${method.charAt(0)}${method.slice(1).toLowerCase()}Object`;
}

interface Text {
  S?: string;
}

/** The body of a request about one item, a query, a batch, or a transaction. */
interface DynamoDbBody {
  Key?: { item?: Text };
  Item?: { item?: Text };
  ExpressionAttributeValues?: Record<string, Text>;
  KeyConditionExpression?: string;
  TransactItems?: Record<string, DynamoDbBody>[];
  RequestItems?: Record<string, { Keys?: DynamoDbBody['Key'][] }>;
}

function itemsOf(body: DynamoDbBody): string[] {
  if (body.TransactItems) return body.TransactItems.flatMap((one) => Object.values(one).flatMap(itemsOf));
  if (body.RequestItems)
    return Object.values(body.RequestItems).flatMap(({ Keys = [] }) =>
      Keys.flatMap((Key) => (Key ? itemsOf({ Key }) : [])),
    );
  const item = body.Key?.item?.S ?? body.Item?.item?.S;
  if (item !== undefined) return [item];
  // The first variable of a key condition is the partition key, the second one the prefix of the sort key.
  const variables = [...(body.KeyConditionExpression ?? '').matchAll(/:\w+/g)].map(([name]) => name);
  const beginning = variables[1] && body.ExpressionAttributeValues?.[variables[1]]?.S;
  return [beginning ?? 'all items'];
}
