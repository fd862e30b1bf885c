import type { RecordedCall } from '@business-loan-orders/order-simulator';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { MonthReport } from '../../commands/shared/month-report.ts';
import { inBatches } from '../../core/in-batches.ts';
import { commandsIn, inItsTime } from '../helpers/commands-in.ts';
import { closeAtNextRead } from '../helpers/offers.ts';
import { MAIN_PATH, openWorld, rareSweeps } from '../helpers/open-world.ts';
import { DAY } from '../helpers/world.ts';

const ORDERS = Number(process.env.ORDERS ?? 500);
const world = await openWorld({ settings: MAIN_PATH, ordersGoOn: true, deliveryWrapper: rareSweeps(60) });
const { done } = commandsIn(world);
const printed = (...args: string[]) => inItsTime(world, () => done(...args));
const reportOf = async (month: string): Promise<MonthReport> =>
  JSON.parse(await printed('report', '--month', month, '--json'));

test('500 orders of the simulator', async () => {
  const begun = performance.now();
  const refs = [];
  world.clock.advanceTo(Date.UTC(2026, 2, 31, 12));
  for (let n = 0; n < ORDERS; n += 1) {
    const scenario = n % 10 === 1 ? 'validation-fails-after-documents' : n % 10 === 2 ? 'no-offer-approved' : undefined;
    const loan = { amount: n % 10 === 3 ? 'much' : 0.1 + n, currency: n % 4 ? 'RUB' : 'usd' };
    const offers = n % 10 === 4 ? { choose: 'manual' } : undefined;
    await world.submit(`o-${n}`, { scenario, order: { loan, company: { name: 'x' } }, offers } as never);
    refs.push(`o-${n}`);
    if (n === ORDERS / 2) await world.pass(DAY);
  }
  await world.pass(5 * 60_000);
  console.log('submitted', performance.now() - begun);
  for (let i = 0; i < 6; i += 1) { await world.sign(); await world.pass(60_000); }
  console.log('done', performance.now() - begun);
  console.log(await printed('report', '--month', '2026-03'));
  console.log(await printed('report', '--month', '2026-04'));
}, 600_000);
