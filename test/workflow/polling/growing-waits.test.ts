import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { accepting, inject, loseRequest, reading } from '../../helpers/faults.ts';
import { MAIN_PATH, OFFERS_AT_ONCE } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';
import { waitsForSignatures } from '../../helpers/signatures.ts';
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
  const calls = await world.calls(orderRef, reading);
  const first = calls.findIndex((call) => statusOf(call) === status);
  const end = calls.findIndex((call, index) => index > first && statusOf(call) !== status);
  const reads = calls.slice(first, end + 1);
  return { reads, waits: reads.slice(1).map(({ at }, index) => (at - (reads[index]?.at ?? 0)) / 1000) };
}

test('an order that waits 30 days for its bank is never read early, and learns of a change at most 5 % late', async () => {
  await submit(world, 'thirty-days');
  expect(await world.untilEnd('thirty-days')).toMatchObject({ status: 'CLOSED', generation: 2 });
  const { reads, waits } = await readsIn('thirty-days', 'OFFERS_APPROVED');
  expect((await world.calls('thirty-days')).filter(({ earlyBySeconds }) => earlyBySeconds !== undefined)).toEqual([]);
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
  const calls = await world.calls('moved-on', reading);
  const asked = calls.findIndex((call) => statusOf(call) === 'WAITING_FOR_DOCUMENTS');
  const slow = ((calls[asked]?.at ?? 0) - (calls[asked - 1]?.at ?? 0)) / 1000;
  const next = calls.slice(asked, asked + 4).map(({ at }) => at / 1000);
  expect(slow).toBeGreaterThan(3_600);
  expect(next.slice(1).map((at, index) => at - (next[index] ?? 0))).toEqual([5, 5, 5]);
});

test('an order that waits for an accept to be settled is read at the pace of the service, however long it has been in its status', async () => {
  Object.assign(world.simulator.settings, MAIN_PATH);
  await submit(world, 'settling');
  await world.until('settling', waitsForSignatures, { signing: false });
  // The first read of the wait asks for a week without reads.
  world.simulator.settings.pollAfterSeconds = (7 * DAY) / 1000;
  await world.pass(2 * DAY);
  world.simulator.settings.pollAfterSeconds = MINIMUM_SECONDS;
  await world.pass(8 * DAY);
  expect((await world.record('settling'))?.pollAfterSeconds).toBe(MINIMUM_SECONDS);
  inject(world.simulator, 'before', accepting, loseRequest);
  const begun = world.clock.now();
  await world.until('settling', ({ status }) => status === 'OFFERS_AVAILABLE');
  expect(await world.calls('settling', accepting)).toHaveLength(3);
  expect((world.clock.now() - begun) / 1000).toBeLessThan(600);
});
