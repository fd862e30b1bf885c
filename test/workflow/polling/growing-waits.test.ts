import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { expect, test } from 'vitest';
import { reading } from '../../helpers/faults.ts';
import { OFFERS_AT_ONCE } from '../../helpers/offers.ts';
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
