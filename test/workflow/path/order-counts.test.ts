import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { readsOfWork } from '../../../core/order/work-size.ts';
import { definitions } from '../../../infra/order/function-definitions.ts';
import { accepting, reading } from '../../helpers/faults.ts';
import { handingOverAfter } from '../../helpers/hand-over.ts';
import { OFFERS_AT_ONCE, openWorld } from '../../helpers/open-world.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { type CountedInvocation, type CountedRequest, RequestCounts } from '../../helpers/request-counts.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';

/** Few enough that a slow order is handed over. */
const READS_PER_EXECUTION = 40;

const handOver = handingOverAfter(READS_PER_EXECUTION);
const counts = new RequestCounts();
const world = await openWorld({
  // No change happens at the moment of a read, so every run makes the same number of reads.
  settings: { pollAfterSeconds: 2, processingSeconds: 1 },
  // Waits of the same length: the hand-over then comes where the document expects it.
  environment: { POLL_GROWTH: '0' },
  invokeWrapper: (name, event, invoke) => counts.invokeWrapper(name, event, () => handOver(name, event, invoke)),
  requestWrapper: counts.requestWrapper,
});
const { simulator } = world;

interface Wish {
  documents: number;
  toSign: number;
  confirms: number;
  bankSeconds?: number;
}

type Counts = Record<string, number>;

const page = readFileSync(new URL('../../../docs/capacity.md', import.meta.url), 'utf8');

function documentedCounts({ documents, toSign, confirms }: Wish, reads: number): Counts {
  const work = [documents, toSign, confirms].reduce((sum, items) => sum + readsOfWork(items), 0);
  const executions = Math.ceil((reads + work) / READS_PER_EXECUTION);
  const times = [1, reads, documents, toSign, confirms, executions - 1];
  const rows = [...page.matchAll(/^\| ([^|]+) \|((?: \d+ \|){6})$/gm)].map(([, name = '', cells = '']) => {
    const counts = cells.match(/\d+/g)?.map(Number) ?? [];
    return [name, counts.reduce((sum, count, at) => sum + count * (times[at] ?? 0), 0)] as const;
  });
  return { ...Object.fromEntries(rows), Executions: executions };
}

async function run(orderRef: string, { documents, toSign, confirms, bankSeconds = 3 }: Wish): Promise<void> {
  Object.assign(simulator.settings, { documentsToSign: toSign, bankSeconds });
  const names = Array.from({ length: documents }, (_, position) => `file-${position}.pdf`);
  const chosen = `(offers[status='AVAILABLE'])[[0..${confirms - 1}]]`;
  const rule = `${chosen}.{ 'offerId': offerId, 'code': creditOptions[0].code }`;
  for (const name of names) await world.putAndSettle(orderRef, `documents/${name}`, `bytes of ${name} of ${orderRef}`);
  await world.put(orderRef, 'order.json', orderPackage({ documents: names, offers: { choose: 'rule', rule } }));
  for (const fileId of await filesToSign(world, orderRef)) {
    await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
    await world.aws.settle();
  }
  expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED' });
}

const OPERATIONS = {
  'DynamoDB reads': ['dynamodb GetItem', 'dynamodb Query'],
  'DynamoDB writes': ['dynamodb PutItem', 'dynamodb UpdateItem', 'dynamodb DeleteItem'],
  'S3 reads': ['s3 GET', 's3 HEAD'],
  'S3 writes and lists': ['s3 PUT', 's3 POST', 's3 LIST'],
  'Requests that put events': ['AWSEvents PutEvents'],
};

/** Deletions in S3, and requests to Step Functions beside its transitions. */
const FREE = ['s3 DELETE', 'states StartExecution', 'states SendTaskSuccess'];

function requestCounts(requests: readonly CountedRequest[]): Counts {
  // A batch is charged as a read of each of its items.
  const operations = requests.flatMap(({ service, operation, kind }) =>
    operation === 'BatchGetItem' ? kind.split(' and ').map(() => 'dynamodb GetItem') : [`${service} ${operation}`],
  );
  const known = [...Object.values(OPERATIONS), FREE].flat();
  expect(operations.filter((operation) => !known.includes(operation))).toEqual([]);
  const counted = Object.entries(OPERATIONS).map(([name, some]) => [
    name,
    operations.filter((operation) => some.includes(operation)).length,
  ]);
  return Object.fromEntries(counted);
}

const ofToken = ({ service, kind }: CountedRequest) => service === 'secretsmanager' || kind === 'token';

const FILE_FUNCTIONS = Object.entries(definitions).flatMap(([name, definition]) =>
  'files' in definition ? [name] : [],
);

async function counted(orderRef: string, { documents, toSign }: Wish): Promise<Counts> {
  const invocations = counts.of(orderRef);
  const history = await world.histories(orderRef);
  return {
    'State transitions': history.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails).length,
    Executions: (await world.executions(orderRef)).length,
    'Runs of functions': invocations.length,
    'Runs that transfer files, among these': invocations.filter(({ functionName }) =>
      FILE_FUNCTIONS.includes(functionName),
    ).length,
    'Calls to the order service': (await world.calls(orderRef)).length,
    // All orders share the token: whose read finds it old depends on what ran before.
    ...requestCounts(invocations.flatMap(({ requests }) => requests).filter((one) => !ofToken(one))),
    'Uploads of the partner': 1 + documents + toSign,
    "Lines of the state machine's log": history.length,
  };
}

const ordinary = { documents: 3, toSign: 2, confirms: 2 };

/** No two columns of the document's table stand in the same proportion in all of them. */
const orders: Record<string, Wish> = {
  ordinary,
  'of-another-size': { documents: 4, toSign: 3, confirms: 1, bankSeconds: 5 },
  'handed-over': { ...ordinary, bankSeconds: 61 },
};

test('an order needs exactly what docs/capacity.md says, whatever its size', async () => {
  // It loads every function.
  await run('first', { documents: 1, toSign: 1, confirms: 1 });
  for (const [orderRef, wish] of Object.entries(orders)) {
    await run(orderRef, wish);
    const reads = (await world.calls(orderRef)).filter(reading).length;
    expect(documentedCounts(wish, reads), orderRef).toEqual(await counted(orderRef, wish));
  }
  expect(await world.executions('handed-over')).toHaveLength(2);
});

test('a poll that brings nothing new makes one read of the table, no write, no S3 request and one call', async () => {
  Object.assign(simulator.settings, { documentsToSign: 2, processingSeconds: 7, bankSeconds: 9 });
  let stale = 0;
  simulator.hooks.before = async (call, _request, reply) => {
    if (accepting(call)) stale = 3;
    if (!reading(call) || stale === 0) return;
    stale -= 1;
    const before = simulator
      .calls()
      .filter((one) => reading(one) && one.orderId === call.orderId && one.status === 200);
    await reply.code(200).send(before.at(-1)?.responseBody);
  };
  await world.submitToEnd('stale');
  // OFFERS_APPROVED after a decision; the status before an accept, which a read still says after it.
  const statuses = ['IN_WORK', 'WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_APPROVED'];
  expectCheapPolls(await emptyPolls('stale'), statuses);
});

test('so does a poll of an order whose offers cannot be chosen', async () => {
  Object.assign(simulator.settings, OFFERS_AT_ONCE);
  await world.submitToEnd('no-offer', { scenario: 'no-offer-approved' });
  expectCheapPolls(await emptyPolls('no-offer'), ['OFFERS_AVAILABLE']);
});

interface EmptyPoll {
  status: string;
  run: CountedInvocation;
}

/** Reads with the same answer as the one before. The first after a wait for people does not count: it records the new wait. */
async function emptyPolls(orderRef: string): Promise<EmptyPoll[]> {
  const reads = (await world.calls(orderRef)).filter(reading);
  const steps = counts.of(orderRef);
  const runs = steps.filter(({ functionName }) => functionName === 'read-order');
  // Each run of the function makes one call.
  expect(runs).toHaveLength(reads.length);
  return runs.flatMap((run, index) => {
    const [before, now] = [reads[index - 1]?.responseBody, reads[index]?.responseBody];
    const since = steps.slice(steps.indexOf(runs[index - 1] ?? run), steps.indexOf(run));
    const hasWaited = since.some(({ functionName }) => functionName === 'await-signatures');
    const isFirst = (run.event as { reads: number }).reads === 0;
    if (isFirst || hasWaited || !isDeepStrictEqual(before, now)) return [];
    return [{ run, status: (now as { status: string }).status }];
  });
}

function expectCheapPolls(polls: EmptyPoll[], statuses: string[]): void {
  expect([...new Set(polls.map(({ status }) => status))]).toEqual(expect.arrayContaining(statuses));
  for (const { status, run } of polls) {
    const asked = run.requests.map(({ service, operation, kind }) => `${service} ${operation} ${kind}`);
    expect(asked, status).toEqual(['dynamodb BatchGetItem creations and pause and order']);
  }
}
