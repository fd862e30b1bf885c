import { parseArgs } from 'node:util';
import type { RecordedCall } from '../packages/order-simulator/index.ts';
import { type CountedRequest, isDynamoDbRead, isDynamoDbWrite, isRecordOrTimeline } from './aws-requests.ts';
import {
  type Count,
  MAX_AWS_REQUESTS,
  mostCalls,
  mostOfChangingCall,
  mostOfIdlePoll,
  mostTransitions,
  type OrderSize,
} from './bounds.ts';
import { type CountedOrder, CountingWorld, type Invocation } from './counting-world.ts';
import { examplePackage } from './laptop-client.ts';

/** Long enough for many polls that bring nothing new. */
const LONG_PROCESSING_SECONDS = 10;

const READ = 'GET /v1/orders/{orderId}';

const kinds: Record<string, string> = {
  'POST /v1/orders': 'create order',
  'POST /v1/orders/{orderId}/documents': 'upload document',
  'POST /v1/orders/{orderId}/accept': 'accept order',
  'GET /v1/orders/{orderId}/documents/{fileId}/download': 'download document, to stage it and to compare it',
  'POST /v1/orders/{orderId}/documents/sign': 'upload signature',
  'POST /v1/orders/{orderId}/confirm': 'confirm offer',
};

const changing = ['create-order', 'upload-document', 'accept-order', 'upload-signature', 'confirm-offer'];

/** Counts the requests of an order of the example in virtual time. An order before it loads every function and gets the token. */
export async function countOrder(assemblyDirectory: string): Promise<Count[]> {
  const world = await CountingWorld.start(assemblyDirectory);
  try {
    await world.run('warm');
    const order = await world.run('counted');
    const slow = await world.run('slow', { processingSeconds: LONG_PROCESSING_SECONDS });
    return [
      ...countRequests(order.requests),
      ...countCalls(order.calls),
      ...countTransitions(order),
      ...countIdlePolls(slow),
      ...countChangingCalls(order.invocations),
      { what: 'reads before their time in virtual time', count: earlyReads([...order.calls, ...slow.calls]), bound: 0 },
    ];
  } finally {
    await world.close();
  }
}

function countRequests(requests: readonly CountedRequest[]): Count[] {
  const byKind = Object.groupBy(requests, ({ service, operation }) => `${service} ${operation}`);
  const counts = Object.entries(byKind).map(([kind, some = []]) => ({ what: `AWS: ${kind}`, count: some.length }));
  counts.sort((one, other) => other.count - one.count);
  return [{ what: 'AWS requests of an order', count: requests.length, bound: MAX_AWS_REQUESTS }, ...counts];
}

function countCalls(calls: readonly RecordedCall[]): Count[] {
  const bounds = mostCalls(sizeOf(calls));
  const counts = Object.keys(bounds).map((kind) => {
    const what = `calls of an order: ${kind}`;
    return { what, count: calls.filter((call) => kinds[routeOf(call)] === kind).length, bound: bounds[kind] as number };
  });
  const others = calls.filter((call) => routeOf(call) !== READ && kinds[routeOf(call)] === undefined);
  return [
    { what: 'calls of an order: read order', count: calls.filter((call) => routeOf(call) === READ).length },
    ...counts,
    { what: 'calls of an order: any other', count: others.length, bound: 0 },
  ];
}

function countTransitions({ events, calls }: CountedOrder): Count[] {
  const count = events.filter(({ type }) => type?.endsWith('StateEntered')).length;
  return [
    { what: 'transitions of an order', count, bound: mostTransitions(sizeOf(calls)) },
    { what: 'history events of an order', count: events.length },
  ];
}

/** The size of the order, from its package and the service's answers. */
function sizeOf(calls: readonly RecordedCall[]): OrderSize {
  const confirms = calls.filter((call) => kinds[routeOf(call)] === 'confirm offer');
  const listed = calls.flatMap(
    ({ responseBody }) => (responseBody as { documents?: { fileId: string }[] })?.documents ?? [],
  );
  return {
    polls: calls.filter((call) => routeOf(call) === READ).length,
    documents: examplePackage().length - 1,
    toSign: new Set(listed.map(({ fileId }) => fileId)).size,
    confirms: new Set(confirms.map(({ requestBody }) => JSON.stringify(requestBody))).size,
  };
}

/** The maximum of each count among the polls whose answer was the same as the one before. */
function countIdlePolls({ invocations }: CountedOrder): Count[] {
  const reads = invocations.filter(({ name }) => name === 'read-order');
  const answers = reads.map(({ calls }) => JSON.stringify(calls.at(-1)?.responseBody));
  const idle = reads.filter((_, index) => index > 0 && answers[index] === answers[index - 1]);
  if (idle.length < LONG_PROCESSING_SECONDS) throw new Error(`Only ${idle.length} polls brought nothing new.`);
  const count = (what: string, of: (poll: Invocation) => number, bound: number): Count => {
    return { what: `${what} of a poll that brings nothing new`, count: Math.max(...idle.map(of)), bound };
  };
  const { dynamodbReads, dynamodbWrites, s3Requests, serviceCalls } = mostOfIdlePoll;
  return [
    count('DynamoDB reads', ({ requests }) => requests.filter(isDynamoDbRead).length, dynamodbReads),
    count('DynamoDB writes', ({ requests }) => requests.filter(isDynamoDbWrite).length, dynamodbWrites),
    count('S3 requests', ({ requests }) => requests.filter(({ service }) => service === 'S3').length, s3Requests),
    count('service calls', ({ calls }) => calls.length, serviceCalls),
  ];
}

/** The maximum of each count among the invocations of functions that change something, without the record and the timeline. */
function countChangingCalls(invocations: readonly Invocation[]): Count[] {
  return changing.flatMap((name) => {
    const own = invocations.filter((invocation) => invocation.name === name);
    const most = (isKind: (request: CountedRequest) => boolean) =>
      Math.max(...own.map(({ requests }) => requests.filter((one) => isKind(one) && !isRecordOrTimeline(one)).length));
    const { dynamodbReads, dynamodbWrites } = mostOfChangingCall;
    return [
      {
        what: `DynamoDB reads of ${name} beside record and timeline`,
        count: most(isDynamoDbRead),
        bound: dynamodbReads,
      },
      {
        what: `DynamoDB writes of ${name} beside record and timeline`,
        count: most(isDynamoDbWrite),
        bound: dynamodbWrites,
      },
    ];
  });
}

function earlyReads(calls: readonly RecordedCall[]): number {
  return calls.filter(({ earlyBySeconds = 0 }) => earlyBySeconds > 0).length;
}

function routeOf({ method, route }: RecordedCall): string {
  return `${method} ${route}`;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { assembly: { type: 'string', default: 'cdk.out' } } });
  process.stdout.write(`${JSON.stringify(await countOrder(values.assembly), undefined, 2)}\n`);
}
