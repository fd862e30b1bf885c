import { paginateGetExecutionHistory } from '@aws-sdk/client-sfn';
import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { beforeAll, describe, expect, test } from 'vitest';
import { reading } from '../../helpers/faults.ts';
import { MAIN_PATH, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { DAY } from '../../helpers/world.ts';

/** The least wait of the stages `test` and `prod`. */
const MINIMUM_SECONDS = 5;
const GROWTH = 0.05;
const BANK_DAYS = 30;

const world = await openWorld({
  settings: {
    ...OFFERS_AT_ONCE,
    pollAfterSeconds: MINIMUM_SECONDS,
    bankSeconds: BANK_DAYS * 86_400,
    slowProcessingSeconds: 1.25 * 86_400,
  },
});

const statusOf = ({ responseBody }: RecordedCall) => (responseBody as { status: string }).status;

/** The order's reads of one stay in a status, and the seconds from each to the next one. */
async function readsIn(orderRef: string, status: string): Promise<{ reads: RecordedCall[]; waits: number[] }> {
  const calls = (await world.calls(orderRef)).filter(reading);
  const first = calls.findIndex((call) => statusOf(call) === status);
  const end = calls.findIndex((call, index) => index > first && statusOf(call) !== status);
  const reads = calls.slice(first, end + 1);
  return { reads, waits: reads.slice(1).map(({ at }, index) => (at - (reads[index]?.at ?? 0)) / 1000) };
}

async function statesEntered(executionArn: string | undefined): Promise<number> {
  let count = 0;
  const pages = paginateGetExecutionHistory(
    { client: world.stepFunctions, pageSize: 1000 },
    { executionArn, includeExecutionData: false },
  );
  for await (const { events = [] } of pages) {
    count += events.filter(({ stateEnteredEventDetails }) => stateEnteredEventDetails).length;
  }
  return count;
}

describe('an order that waits 30 days for its bank, at a minimum of 5 seconds', () => {
  const orderRef = 'thirty-days';

  beforeAll(async () => {
    await submit(world, orderRef);
    expect(await world.untilEnd(orderRef)).toMatchObject({ status: 'CLOSED' });
  });

  test('makes three transitions for each of these reads, and some for each new execution', async () => {
    const { reads } = await readsIn(orderRef, 'OFFERS_APPROVED');
    const executions = await world.executions(orderRef);
    let transitions = 0;
    for (const { executionArn } of executions) transitions += await statesEntered(executionArn);
    expect(executions).toHaveLength(2);
    expect(transitions).toBeGreaterThan(3 * reads.length);
    expect(transitions).toBeLessThan(3 * reads.length + 60);
  });

  test('is never read early, and learns of a change at most 5 % late', async () => {
    const { reads, waits } = await readsIn(orderRef, 'OFFERS_APPROVED');
    expect((await world.calls(orderRef)).filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
    const begun = reads[0]?.at ?? 0;
    for (const [index, wait] of waits.entries()) {
      const inStatus = ((reads[index]?.at ?? 0) - begun) / 1000;
      // A new execution waits as if there were a call under way.
      expect(wait).toBeLessThanOrEqual(Math.max(MINIMUM_SECONDS, GROWTH * inStatus) + 1);
      expect(wait).toBeGreaterThanOrEqual(MINIMUM_SECONDS);
    }
    const closed = reads.at(-1)?.at ?? 0;
    expect((closed - begun) / DAY).toBeLessThan(BANK_DAYS * (1 + GROWTH));
  });
});

test('an order whose status changes after days is read at the pace of the service at once', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  // Without a read a day later the order would be read 150 times until its wait is an hour.
  world.simulator.settings.pollAfterSeconds = 86_400;
  await submit(world, 'moved-on', { scenario: 'slow-processing' });
  await world.until('moved-on', ({ status }) => status === 'IN_WORK');
  world.simulator.settings.pollAfterSeconds = MINIMUM_SECONDS;
  await world.until('moved-on', ({ status }) => status === 'WAITING_FOR_DOCUMENTS');
  const before = world.simulator.calls().length;
  await world.until('moved-on', () => world.simulator.calls().slice(before).filter(reading).length === 3);
  const calls = (await world.calls('moved-on')).filter(reading);
  const asked = calls.findIndex((call) => statusOf(call) === 'WAITING_FOR_DOCUMENTS');
  const slow = ((calls[asked]?.at ?? 0) - (calls[asked - 1]?.at ?? 0)) / 1000;
  const next = calls.slice(asked, asked + 4).map(({ at }) => at / 1000);
  expect(slow).toBeGreaterThan(3_600);
  expect(next.slice(1).map((at, index) => at - (next[index] ?? 0))).toEqual([5, 5, 5]);
  await world.abort('moved-on');
});

test('an order that waits for an accept to be settled is read at the pace of the service, however long it has been in its status', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  await submit(world, 'settling');
  await world.until('settling', ({ waitingFor }) => waitingFor === 'signatures', { signing: false });
  const waitDays = async (days: number) => {
    const until = world.clock.now() + days * DAY;
    await world.until('settling', () => world.clock.now() >= until, { signing: false });
  };
  // The first read of the wait asks for a week without reads.
  world.simulator.settings.pollAfterSeconds = (7 * DAY) / 1000;
  await waitDays(2);
  world.simulator.settings.pollAfterSeconds = MINIMUM_SECONDS;
  await waitDays(8);
  expect((await world.record('settling'))?.pollAfterSeconds).toBe(MINIMUM_SECONDS);
  let isLost = false;
  world.simulator.hooks.before = async (call, request, reply) => {
    if (isLost || !call.path.endsWith('/accept')) return;
    isLost = true;
    request.raw.socket.destroy();
    await reply.send();
  };
  const begun = world.clock.now();
  await world.until('settling', ({ status }) => status === 'OFFERS_AVAILABLE');
  expect(isLost).toBe(true);
  expect((world.clock.now() - begun) / 1000).toBeLessThan(600);
  await world.abort('settling');
});
