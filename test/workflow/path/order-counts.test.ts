import { expect, test } from 'vitest';
import { type CountedRequest, RequestCounts } from '../../../bench/request-counts.ts';
import { countsOf, type OrderCounts, type OrderSize } from '../../../commands/plan/order-counts.ts';
import { definitions } from '../../../infra/order/function-definitions.ts';
import { reading } from '../../helpers/faults.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';
import type { World } from '../../helpers/world.ts';

/** Few enough that a slow order is handed over. */
const READS_PER_EXECUTION = 40;

const counts = new RequestCounts();
const world = await openWorld({
  isNew: true,
  // No change happens at the moment of a read, so every run makes the same number of reads.
  settings: { pollAfterSeconds: 2, processingSeconds: 1 },
  // Waits of the same length: the hand-over then comes where the command expects it.
  environment: { READS_PER_EXECUTION: String(READS_PER_EXECUTION), POLL_GROWTH: '0' },
  invokeWrapper: counts.invokeWrapper,
  requestWrapper: counts.requestWrapper,
});

type Wish = Omit<OrderSize, 'polls'> & { bankSeconds?: number };

/** Runs an order of this size to its end, one event after the other. */
async function run(orderRef: string, { documents, toSign, confirms, bankSeconds = 3 }: Wish): Promise<void> {
  Object.assign(world.simulator.settings, { documentsToSign: toSign, bankSeconds });
  const names = Array.from({ length: documents }, (_, position) => `file-${position}.pdf`);
  const chosen = `(offers[status='AVAILABLE'])[[0..${confirms - 1}]]`;
  const rule = `${chosen}.{ 'offerId': offerId, 'code': creditOptions[0].code }`;
  for (const name of names) {
    await world.put(orderRef, `documents/${name}`, `bytes of ${name} of ${orderRef}`);
    await world.aws.settle();
  }
  await world.put(orderRef, 'order.json', orderPackage({ documents: names, offers: { choose: 'rule', rule } }));
  for (const fileId of await filesToSign(world, orderRef)) {
    await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
    await world.aws.settle();
  }
  expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED' });
}

const OPERATIONS = {
  dynamodbReads: ['dynamodb GetItem', 'dynamodb Query'],
  dynamodbWrites: ['dynamodb PutItem', 'dynamodb UpdateItem', 'dynamodb DeleteItem'],
  s3Gets: ['s3 GET', 's3 HEAD'],
  s3Puts: ['s3 PUT', 's3 POST', 's3 LIST'],
  eventPuts: ['AWSEvents PutEvents'],
};

/** Deletions in S3, and requests to Step Functions beside its transitions. */
const FREE = ['s3 DELETE', 'states StartExecution', 'states SendTaskSuccess'];

/** A batch is charged as a read of each of its items. */
function unitsOf(operation: string, kind: string): string[] {
  return operation === 'dynamodb BatchGetItem' ? kind.split(' and ').map(() => 'dynamodb GetItem') : [operation];
}

function requestCounts(requests: readonly CountedRequest[]): Pick<OrderCounts, keyof typeof OPERATIONS> {
  const operations = requests.flatMap(({ service, operation, kind }) => unitsOf(`${service} ${operation}`, kind));
  const known = [...Object.values(OPERATIONS), FREE].flat();
  expect(operations.filter((operation) => !known.includes(operation))).toEqual([]);
  const counted = Object.entries(OPERATIONS).map(([name, some]) => [
    name,
    operations.filter((operation) => some.includes(operation)).length,
  ]);
  return Object.fromEntries(counted);
}

async function historyOf(aWorld: World, orderRef: string) {
  const executions = await aWorld.executions(orderRef);
  return (await Promise.all(executions.map(({ executionArn }) => aWorld.history(executionArn)))).flat();
}

const FILE_FUNCTIONS = Object.entries(definitions).flatMap(([name, definition]) =>
  'files' in definition ? [name] : [],
);

/** What the order needed, counted from its requests, calls and history. */
async function counted(orderRef: string, { documents, toSign }: Wish): Promise<OrderCounts> {
  const invocations = counts.of(orderRef);
  const history = await historyOf(world, orderRef);
  return {
    transitions: history.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails).length,
    executions: (await world.executions(orderRef)).length,
    runs: invocations.length,
    fileRuns: invocations.filter(({ functionName }) => FILE_FUNCTIONS.includes(functionName)).length,
    serviceCalls: (await world.calls(orderRef)).length,
    ...requestCounts(invocations.flatMap(({ requests }) => requests)),
    uploads: 1 + documents + toSign,
    historyEvents: history.length,
  };
}

const ordinary = { documents: 3, toSign: 2, confirms: 2 };

/** The first order loads every function and obtains the token. The others are compared. */
const orders: Record<string, Wish> = {
  ordinary,
  'more-documents': { ...ordinary, documents: 5 },
  'more-to-sign': { ...ordinary, toSign: 4 },
  'fewer-confirms': { ...ordinary, confirms: 1 },
  'more-polls': { ...ordinary, bankSeconds: 9 },
  'handed-over': { ...ordinary, bankSeconds: 101 },
};

test('an order needs exactly what the command "plan" counts with, whatever its size', async () => {
  await run('first', ordinary);
  for (const [orderRef, wish] of Object.entries(orders)) {
    await run(orderRef, wish);
    const polls = (await world.calls(orderRef)).filter(reading).length;
    expect(countsOf({ ...wish, polls }, READS_PER_EXECUTION), orderRef).toEqual(await counted(orderRef, wish));
  }
});
