import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type CountedInvocation, RequestCounts } from '../../../bench/request-counts.ts';
import { accepting, reading } from '../../helpers/faults.ts';
import { decide, OFFERS_AT_ONCE, untilOffers } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { clientOf } from '../../helpers/order-service-client.ts';
import { submit } from '../../helpers/packages.ts';

const counts = new RequestCounts();
const world = await openWorld({
  isNew: true,
  // No change happens at the moment of a read, so every run makes the same number of reads.
  settings: {
    documentsToSign: 2,
    pollAfterSeconds: 2,
    processingSeconds: 7,
    bankSeconds: 9,
    closeWithoutConfirmationSeconds: 7,
  },
  invokeWrapper: counts.invokeWrapper,
  requestWrapper: counts.requestWrapper,
});
const { simulator } = world;

test('only the last of the confirms of a rule publishes choices.json', async () => {
  Object.assign(simulator.settings, OFFERS_AT_ONCE);
  await submit(world, 'by-rule');
  await world.untilEnd('by-rule');
  const of = counts.of('by-rule');
  const steps = of.slice(of.findIndex(({ functionName }) => functionName === 'choose-offer'));
  const published = steps.map(({ requests }) => requests.filter(({ kind }) => kind === 'staging choices.json').length);
  const names = steps.map(({ functionName }) => functionName);
  expect(names.slice(0, 3)).toEqual(['choose-offer', 'confirm-offer', 'confirm-offer']);
  expect(published.slice(0, 3)).toEqual([0, 0, 1]);
  // All is confirmed, so the reads that follow neither ask the ledger nor change the page.
  const asked = steps.slice(3).flatMap(({ requests }) => requests);
  expect(asked.filter(({ kind }) => kind === 'operation' || kind === 'staging choices.json')).toEqual([]);
});

describe('a poll that brings nothing new makes one read of the table, no write, no S3 request and one call', () => {
  test('while the order is OFFERS_APPROVED without a decision', async () => {
    // The next execution waits before its first read.
    Object.assign(simulator.settings, { ...OFFERS_AT_ONCE, pollAfterSeconds: 60, bankSeconds: 300 });
    const { order, choices } = await untilOffers(world, 'confirmed-elsewhere');
    await clientOf(simulator).confirmOffer(order.orderId, choices[0] ?? { offerId: '', code: '' });
    await world.abort('confirmed-elsewhere');
    await world.startNext('confirmed-elsewhere');
    await world.untilEnd('confirmed-elsewhere');
    Object.assign(simulator.settings, { pollAfterSeconds: 2, bankSeconds: 9 });
    expectCheapPolls(await emptyPolls('confirmed-elsewhere'), ['OFFERS_APPROVED']);
  });

  test('until a decision arrives, which the next poll carries out', async () => {
    Object.assign(simulator.settings, { ...OFFERS_AT_ONCE, bankSeconds: 20 });
    await submit(world, 'late-decision');
    await world.until('late-decision', ({ status }) => status === 'OFFERS_APPROVED');
    const polls = () => counts.of('late-decision').filter(({ functionName }) => functionName === 'read-order').length;
    const before = polls();
    await world.until('late-decision', () => polls() > before + 3);
    const { orderId = '' } = (await world.record('late-decision')) ?? {};
    const offer = simulator.order(orderId)?.offers.find(({ status }) => status === 'AVAILABLE');
    await decide(world, 'late-decision', [{ offerId: offer?.offerId, code: offer?.creditOptions[0]?.code }]);
    await world.aws.settle();
    const decidedAfter = polls();
    await world.until('late-decision', () => simulator.order(orderId)?.confirmations.length === 3);
    expect(polls()).toBe(decidedAfter + 1);
    await world.untilEnd('late-decision');
  });

  test('while no offer of the order is AVAILABLE', async () => {
    Object.assign(simulator.settings, OFFERS_AT_ONCE);
    await submit(world, 'no-offer', { scenario: 'no-offer-approved' });
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
    await submit(world, 'stale');
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
