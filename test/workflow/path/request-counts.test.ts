import { readdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CountedInvocation, RequestCounts } from '../../../bench/request-counts.ts';
import { accepting, reading } from '../../helpers/faults.ts';
import { MAIN_PATH, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';
import { orderPackage } from '../../helpers/packages.ts';
import { filesToSign, putSignature, signed } from '../../helpers/signatures.ts';

/** The requests to AWS that the example made at the last count, in an account where no function had run before. */
const COLD_REQUESTS = 188;
/** The same when every function already has a token. */
const WARM_REQUESTS = 172;

const counts = new RequestCounts();
const world = await openWorld({
  isNew: true,
  // No change happens at the moment of a read, so every run makes the same number of reads.
  settings: { documentsToSign: 2, pollAfterSeconds: 2, processingSeconds: 1, bankSeconds: 3 },
  invokeWrapper: counts.invokeWrapper,
  requestWrapper: counts.requestWrapper,
});
const { simulator } = world;

const example = new URL('../../../examples/two-offers/', import.meta.url);

/** Uploads the example's files one by one, `order.json` last. Each event is handled before the next upload. */
async function uploadExample(orderRef: string, content: unknown = read('order.json')): Promise<void> {
  for (const name of readdirSync(new URL('documents/', example))) {
    await world.put(orderRef, `documents/${name}`, read(`documents/${name}`));
    await world.aws.settle();
  }
  await world.put(orderRef, 'order.json', content);
}

/** Uploads the signatures one after another, as a person does. */
async function signOneByOne(orderRef: string): Promise<void> {
  for (const fileId of await filesToSign(world, orderRef)) {
    await putSignature(world, orderRef, fileId, await signed(world, orderRef, fileId));
    await world.aws.settle();
  }
}

function read(file: string): Uint8Array {
  return readFileSync(new URL(file, example));
}

const requestsOf = (orderRef: string) => counts.of(orderRef).flatMap(({ requests }) => requests);

/** The table of all requests, which shows what has increased. */
function explain(orderRef: string): string {
  const names = requestsOf(orderRef).map((request) => Object.values(request).join(' '));
  const rows = [...Map.groupBy(names.toSorted(), (name) => name)].map(([name, all]) => `${all.length} ${name}`);
  return `${requestsOf(orderRef).length} requests of ${orderRef}:\n${rows.join('\n')}`;
}

describe('the example two-offers', () => {
  beforeAll(async () => {
    for (const orderRef of ['cold', 'warm']) {
      await uploadExample(orderRef);
      await signOneByOne(orderRef);
      expect(await world.untilEnd(orderRef, { signing: false })).toMatchObject({ status: 'CLOSED', generation: 1 });
    }
  });

  test('makes no more requests to AWS than at the last count', () => {
    expect(requestsOf('cold').length, explain('cold')).toBeLessThanOrEqual(COLD_REQUESTS);
    expect(requestsOf('warm').length, explain('warm')).toBeLessThanOrEqual(WARM_REQUESTS);
  });

  test('requests no token and no secret when the functions already have a token', () => {
    expect(requestsOf('warm').filter(({ kind, service }) => kind === 'token' || service === 'secretsmanager')).toEqual(
      [],
    );
  });

  test('makes no call to the service that is not needed', async () => {
    const calls = (await world.calls('warm')).filter((call) => !reading(call));
    const made = Map.groupBy(calls, ({ method, route }) => `${method} ${route}`);
    expect(Object.fromEntries([...made].map(([call, all]) => [call, all.length]))).toEqual({
      'POST /v1/orders': 1,
      'POST /v1/orders/{orderId}/documents': 3,
      'POST /v1/orders/{orderId}/accept': 2,
      'GET /v1/orders/{orderId}/documents/{fileId}/download': 4,
      'POST /v1/orders/{orderId}/documents/sign': 2,
      'POST /v1/orders/{orderId}/confirm': 2,
    });
  });

  test('enters at most 3P + 2(D + S) + C + 10 states for P polls, D documents, S documents to sign and C confirms', async () => {
    const [execution] = await world.executions('warm');
    const history = await world.history(execution?.executionArn);
    const entered = history.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails);
    const polls = (await world.calls('warm')).filter(reading).length;
    expect(entered.length).toBeLessThanOrEqual(3 * polls + 2 * (3 + 2) + 2 + 10);
  });

  const changing = ['create-order', 'upload-document', 'accept-order', 'upload-signature', 'confirm-offer'];

  test.each(changing)(
    'needs at most two writes and one read in %s, apart from the record, the timeline and the holder of the orderId',
    (functionName) => {
      const runs = counts.of('warm').filter((invocation) => invocation.functionName === functionName);
      expect(runs.length).toBeGreaterThan(0);
      for (const { requests } of runs) {
        const others = ['order', 'order and pause', 'event', 'holder'];
        const items = requests.filter(({ service, kind }) => service === 'dynamodb' && !others.includes(kind));
        const reads = items.filter(isRead);
        expect(reads.length, JSON.stringify(reads)).toBeLessThanOrEqual(1);
        expect(items.length - reads.length, JSON.stringify(items)).toBeLessThanOrEqual(2);
      }
    },
  );
});

const isRead = ({ operation }: { operation: string }) => operation === 'GetItem' || operation === 'Query';

describe('a poll that brings nothing new makes one read of the table, no write, no S3 request and one call', () => {
  beforeEach(() => {
    const times = { processingSeconds: 7, bankSeconds: 9, closeWithoutConfirmationSeconds: 7 };
    Object.assign(simulator.settings, { ...MAIN_PATH, ...times });
  });

  test('while the order is OFFERS_APPROVED without a decision', async () => {
    // The next execution waits before its first read.
    Object.assign(simulator.settings, { ...OFFERS_AT_ONCE, pollAfterSeconds: 60, bankSeconds: 300 });
    await uploadExample(
      'confirmed-elsewhere',
      orderPackage({ offers: { choose: 'manual' }, documents: ['charter.pdf'] }),
    );
    const { orderId = '' } = await world.until('confirmed-elsewhere', ({ waitingFor }) => waitingFor === 'decision');
    await confirmElsewhere(orderId);
    await world.abort('confirmed-elsewhere');
    await world.startNext('confirmed-elsewhere');
    await world.untilEnd('confirmed-elsewhere');
    Object.assign(simulator.settings, { pollAfterSeconds: 2, bankSeconds: 9 });
    expectCheapPolls(await emptyPolls('confirmed-elsewhere'), ['OFFERS_APPROVED']);
  });

  test('until a decision arrives, which the next poll carries out', async () => {
    Object.assign(simulator.settings, { ...OFFERS_AT_ONCE, bankSeconds: 20 });
    await uploadExample('late-decision');
    await world.until('late-decision', ({ status }) => status === 'OFFERS_APPROVED');
    const polls = () => counts.of('late-decision').filter(({ functionName }) => functionName === 'read-order').length;
    const before = polls();
    await world.until('late-decision', () => polls() > before + 3);
    const { orderId = '' } = (await world.record('late-decision')) ?? {};
    const offer = simulator.order(orderId)?.offers.find(({ status }) => status === 'AVAILABLE');
    const choice = { offerId: offer?.offerId, code: offer?.creditOptions[0]?.code };
    await world.put('late-decision', 'decision.json', { choices: [choice] });
    await world.aws.settle();
    const decidedAfter = polls();
    await world.until('late-decision', () => simulator.order(orderId)?.confirmations.length === 3);
    expect(polls()).toBe(decidedAfter + 1);
    await world.untilEnd('late-decision');
  });

  test('while no offer of the order is AVAILABLE', async () => {
    Object.assign(simulator.settings, OFFERS_AT_ONCE);
    const content = orderPackage({ scenario: 'no-offer-approved', documents: ['charter.pdf'] });
    await uploadExample('no-offer', content);
    await world.untilEnd('no-offer');
    expectCheapPolls(await emptyPolls('no-offer'), ['OFFERS_AVAILABLE']);
  });

  test('while the order is IN_WORK, or OFFERS_APPROVED after a decision, or a read still says what it said before an accept', async () => {
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
    await uploadExample('stale');
    await world.untilEnd('stale');
    const statuses = ['IN_WORK', 'WAITING_FOR_DOCUMENTS', 'WAITING_FOR_SIGNATURE', 'OFFERS_APPROVED'];
    expectCheapPolls(await emptyPolls('stale'), statuses);
  });
});

interface EmptyPoll {
  status: string;
  run: CountedInvocation;
}

/**
 * The reads with the same answer as the read before, in the same execution. The first read after a wait for people does not count,
 * because it records that the order now waits for the service.
 */
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
    expect(asked, status).toEqual(['dynamodb BatchGetItem order and pause']);
  }
}

/** Confirms an offer without the workflow. */
async function confirmElsewhere(orderId: string): Promise<void> {
  const available = simulator.order(orderId)?.offers.find(({ status }) => status === 'AVAILABLE');
  const { offerId = '', creditOptions = [] } = available ?? {};
  await clientOf(simulator).confirmOffer(orderId, { offerId, code: creditOptions[0]?.code ?? '' });
}
