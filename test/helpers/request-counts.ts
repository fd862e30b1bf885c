import type { AwsRequest, InvokeWrapper, RequestWrapper } from '@business-loan-orders/embedded-aws';

export interface CountedRequest {
  /** `dynamodb`, `s3`, `secretsmanager`, … */
  service: string;
  /** `GetItem`, …; for S3 the HTTP method or `LIST`. */
  operation: string;
  /** For a table the kind of item: `order`, `event`, `operation`, … */
  kind: string;
}

export interface CountedInvocation {
  functionName: string;
  event: unknown;
  requests: CountedRequest[];
}

const SERVICES: Record<string, string> = {
  DynamoDB_20120810: 'dynamodb',
  AWSStepFunctions: 'states',
  TrentService: 'kms',
  S3: 's3',
};

/** Only one invocation runs at a time, so a request belongs to the running invocation. */
export class RequestCounts {
  readonly invocations: CountedInvocation[] = [];
  #running: { accessKeyId: string; invocation: CountedInvocation } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  readonly invokeWrapper: InvokeWrapper = (functionName, event, invoke) => {
    const turn = this.#turn.then(async () => {
      const invocation: CountedInvocation = { functionName: shortName(functionName), event, requests: [] };
      this.invocations.push(invocation);
      this.#running = { accessKeyId: functionName, invocation };
      const result = await invoke();
      this.#running = undefined;
      return result;
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  };

  readonly requestWrapper: RequestWrapper = async (request) => {
    const { accessKeyId, invocation } = this.#running ?? {};
    if (accessKeyId === request.accessKeyId) invocation?.requests.push(describe(request));
    return undefined;
  };

  of(orderRef: string): CountedInvocation[] {
    return this.invocations.filter(({ event }) => orderOf(event) === orderRef);
  }
}

interface CountedEvent {
  /** Of a batch from a queue, which holds one event. */
  Records?: [{ body: string }];
  orderRef?: string;
  detail?: { object?: { key: string } };
}

function orderOf(event: unknown): string | undefined {
  const { Records, ...itself } = event as CountedEvent;
  const { orderRef, detail } = Records ? (JSON.parse(Records[0].body) as CountedEvent) : itself;
  return orderRef ?? detail?.object?.key.split('/')[1];
}

/** `loan-orders-local-read-order` as `read-order`. */
const shortName = (functionName: string): string => functionName.replace(/^loan-orders-[a-z]+-/, '');

function describe({ service, operation, path, body }: AwsRequest): CountedRequest {
  const name = SERVICES[service] ?? service;
  if (name === 's3') return { service: name, operation: operationOn(path, operation), kind: '' };
  return { service: name, operation, kind: name === 'dynamodb' ? itemKind(body) : '' };
}

type Attributes = Record<string, { S?: string } | undefined>;

interface Batch {
  RequestItems?: Record<string, { Keys: Attributes[] }>;
}

/** The item's name up to its first `#`; of a batch the names of all items. */
function itemKind(body: string): string {
  const { RequestItems } = JSON.parse(body) as Batch;
  if (RequestItems) {
    const keys = Object.values(RequestItems).flatMap(({ Keys }) => Keys);
    return keys.map((Key) => itemKind(JSON.stringify({ Key }))).join(' and ');
  }
  const { Key, Item, ExpressionAttributeValues } = JSON.parse(body) as Record<string, Attributes | undefined>;
  const item = (Key ?? Item)?.item?.S ?? ExpressionAttributeValues?.[':prefix']?.S ?? '';
  return item.split('#', 1)[0] ?? '';
}

function operationOn(path: string, method: string): string {
  const { searchParams } = new URL(path, 'http://s3');
  return searchParams.has('list-type') || searchParams.has('versions') ? 'LIST' : method;
}
