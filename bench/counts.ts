import { type HistoryEvent, paginateGetExecutionHistory, paginateListExecutions } from '@aws-sdk/client-sfn';
import { VirtualClock } from '@business-loan-orders/embedded-aws';
import { type RecordedCall, startSimulator } from '@business-loan-orders/order-simulator';
import { uploadPackage } from '../laptop/example-package.ts';
import { type OpenStage, openStage, simulatedService } from '../laptop/open-stage.ts';
import { PartnerSigner } from '../laptop/people/partner-signer.ts';
import { OFFERS_CHOSEN, twoOffers, WAITS } from './example.ts';
import { type CountedInvocation, type CountedRequest, RequestCounts } from './request-counts.ts';
import { type Row, row } from './table.ts';

/** The most AWS requests of warm functions for one order of the example. */
const MOST_AWS_REQUESTS = 144;

const DOCUMENTS = twoOffers.length - 1;
const TO_SIGN = 2;
const READ = 'GET /v1/orders/{orderId}';

/** The most calls of each kind: one for each thing to do, and one more download of each document to compare it. */
const MOST_CALLS: Record<string, number> = {
  'POST /v1/orders': 1,
  'POST /v1/orders/{orderId}/documents': DOCUMENTS,
  'POST /v1/orders/{orderId}/accept': 2,
  'GET /v1/orders/{orderId}/documents/{fileId}/download': 2 * TO_SIGN,
  'POST /v1/orders/{orderId}/documents/sign': TO_SIGN,
  'POST /v1/orders/{orderId}/confirm': OFFERS_CHOSEN,
};

/** Long enough for many polls without a change. */
const LONG_PROCESSING_SECONDS = 10;
const HOUR = 3_600_000;
const GROUP = 'Counts of two-offers';

interface CountedOrder {
  invocations: CountedInvocation[];
  calls: RecordedCall[];
  events: HistoryEvent[];
}

/** Counts the requests of an order in virtual time. An order before it loads every function and gets the token. */
export async function countOrder(assemblyDirectory: string): Promise<Row[]> {
  const world = await openWorld(assemblyDirectory);
  try {
    await world.run('warm');
    const order = await world.run('counted');
    world.settings.processingSeconds = LONG_PROCESSING_SECONDS;
    const slow = await world.run('slow');
    const early = [...order.calls, ...slow.calls].filter(({ earlyBySeconds = 0 }) => earlyBySeconds > 0);
    return [
      ...countRequests(order.invocations.flatMap(({ requests }) => requests)),
      ...countCalls(order),
      ...countIdlePolls(slow),
      row(GROUP, 'reads before their time', 'count', early.length, 0),
    ];
  } finally {
    await world.close();
  }
}

function countRequests(requests: readonly CountedRequest[]): Row[] {
  const kinds = [...Map.groupBy(requests, ({ service, operation }) => `${service} ${operation}`)];
  kinds.sort(([, some], [, others]) => others.length - some.length);
  return [
    row(GROUP, 'AWS requests', 'count', requests.length, MOST_AWS_REQUESTS),
    ...kinds.map(([kind, some]) => row(GROUP, `AWS requests: ${kind}`, 'count', some.length)),
  ];
}

function countCalls({ calls, events }: CountedOrder): Row[] {
  const called = Object.groupBy(calls, routeOf);
  const polls = called[READ]?.length ?? 0;
  const others = calls.filter((call) => routeOf(call) !== READ && MOST_CALLS[routeOf(call)] === undefined);
  const transitions = events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails).length;
  const mostTransitions = 3 * polls + 2 * (DOCUMENTS + TO_SIGN) + OFFERS_CHOSEN + 10;
  return [
    row(GROUP, READ, 'count', polls),
    ...Object.entries(MOST_CALLS).map(([route, most]) => row(GROUP, route, 'count', called[route]?.length ?? 0, most)),
    row(GROUP, 'any other call', 'count', others.length, 0),
    row(GROUP, 'transitions', 'count', transitions, mostTransitions),
    row(GROUP, 'history events', 'count', events.length),
  ];
}

/** The most requests of a poll whose answer was the same as the one before. */
function countIdlePolls({ invocations, calls }: CountedOrder): Row[] {
  const polls = invocations.filter(({ functionName }) => functionName === 'read-order');
  const answers = calls.filter((call) => routeOf(call) === READ).map((call) => JSON.stringify(call.responseBody));
  const idle = polls.filter((_, index) => index > 0 && answers[index] === answers[index - 1]);
  if (idle.length < LONG_PROCESSING_SECONDS) throw new Error(`Only ${idle.length} polls found no change.`);
  const most = Math.max(...idle.map(({ requests }) => requests.length));
  return [row(GROUP, 'AWS requests of a poll that brings nothing new', 'count', most, 1)];
}

function routeOf({ method, route }: RecordedCall): string {
  return `${method} ${route}`;
}

/** Runs orders one after the other in virtual time and counts every request. One function runs at a time, so counts are exact. */
async function openWorld(assemblyDirectory: string) {
  const counts = new RequestCounts();
  const clock = new VirtualClock(Date.now());
  const simulator = await startSimulator({ now: () => clock.now(), settings: WAITS });
  const stage = await openStage(simulatedService(simulator), {
    assemblyDirectory,
    clock,
    invokeWrapper: counts.invokeWrapper,
    requestWrapper: counts.requestWrapper,
  });
  const run = async (orderRef: string): Promise<CountedOrder> => {
    const before = simulator.calls().length;
    await driveOrder(stage, orderRef);
    return {
      invocations: counts.of(orderRef),
      calls: simulator.calls().slice(before),
      events: await historyOf(stage, orderRef),
    };
  };
  const close = () => stage.aws.close().finally(() => simulator.close());
  return { settings: simulator.settings, run, close };
}

/** Drives one order of the example to its end, one event at a time: with two at once, the counts would vary. */
async function driveOrder(stage: OpenStage, orderRef: string): Promise<void> {
  const { aws, outputs, s3 } = stage;
  const { IntakeBucket = '', StagingBucket: stagingBucket = '' } = outputs;
  let isSigned = false;
  const signer = new PartnerSigner({
    s3,
    stagingBucket,
    watch: aws.watch,
    uploaded: aws.settle,
    onSigned: () => {
      isSigned = true;
    },
    onError: () => undefined,
  });
  await uploadPackage(s3, IntakeBucket, orderRef, twoOffers, aws.settle);
  const isOver = async () => {
    await signer.look();
    return isSigned && aws.describeRunning().length === 0;
  };
  await aws.runUntil(isOver, { limitMilliseconds: HOUR });
  await signer.stop();
  await aws.settle();
}

/** The history events of all executions of the order. */
async function historyOf({ stepFunctions: client, outputs }: OpenStage, orderRef: string): Promise<HistoryEvent[]> {
  const { OrderStateMachine: stateMachineArn } = outputs;
  const pages = await Array.fromAsync(paginateListExecutions({ client }, { stateMachineArn }));
  const executions = pages.flatMap(({ executions = [] }) => executions);
  const own = executions.filter(({ name }) => name?.startsWith(`${orderRef}-`));
  const histories = own.map(async ({ executionArn }) => {
    const history = await Array.fromAsync(paginateGetExecutionHistory({ client }, { executionArn }));
    return history.flatMap(({ events = [] }) => events);
  });
  return (await Promise.all(histories)).flat();
}
