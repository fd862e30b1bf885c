import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { ReportLine } from '../../commands/shared/month-report.ts';
import { inBatches } from '../../core/in-batches.ts';
import { commandsIn, inItsTime } from '../helpers/commands-in.ts';
import { NO_SIGNATURES, openWorld, rareSweeps } from '../helpers/open-world.ts';

/** By hand: ORDERS=500 MONTH=100000. */
const ORDERS = Number(process.env.ORDERS ?? 20);
const MONTH = Number(process.env.MONTH ?? 6_000);

const world = await openWorld({
  settings: NO_SIGNATURES,
  isNew: true,
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(60),
});
world.clock.advanceTo(Date.UTC(2026, 2, 31, 23, 50));
const { done } = commandsIn(world);
const printed = (...args: string[]) => inItsTime(world, () => done(...args));

async function reportOf(month: string) {
  const lines: ReportLine[] = JSON.parse(await printed('report', '--month', month, '--json'));
  return (part: string, what: string) => lines.find((line) => line.part === part && line.what === what);
}

async function submit(number: number): Promise<void> {
  const scenario = [{ scenario: 'validation-fails-after-documents' }, { scenario: 'no-offer-approved' }][number % 5];
  const loan = { amount: number % 7 ? 1_000 * number + 0.1 : 'five million', currency: number % 3 ? 'RUB' : 'usd' };
  const offers = number % 5 === 4 && { offers: { choose: 'manual' } };
  await world.submit(`order-${number}`, { ...scenario, order: { loan }, ...offers });
}

type Known = Record<string, unknown>;
const COUNTS: Record<string, (order: Known) => unknown> = {
  orders: () => true,
  offered: ({ offered }) => String(offered) === 'true',
  taken: ({ taken }) => String(taken) === 'true',
  closed: ({ status }) => status === 'CLOSED',
  refused: ({ status }) => status === 'VALIDATION_FAILED',
};

function logged(): Known[] {
  const orders = new Map<string, Known>();
  for (const { orderId = '', path, at, status = 0, requestBody, responseBody } of world.simulator.calls()) {
    if (status >= 300 || orderId === '') continue;
    const loan = /"loan":(\{.*?\})/.exec(JSON.stringify(requestBody ?? {}))?.[1] ?? '{}';
    const known = orders.get(orderId) ?? { createdAt: new Date(at).toISOString(), ...JSON.parse(loan) };
    const answer = (responseBody ?? {}) as { status?: string; offers?: { status: string }[] };
    known.status = answer.status ?? known.status;
    known.offered ||= answer.offers?.some((offer) => offer.status === 'AVAILABLE');
    known.taken ||= path.endsWith('/confirm');
    orders.set(orderId, known);
  }
  return [...orders.values()];
}

async function listed(month: string): Promise<Known[]> {
  const rows = (await printed('list', '--csv', '--since', month)).trim().split('\n');
  const [heads = [], ...cells] = rows.map((row) => JSON.parse(`[${row}]`) as string[]);
  return cells.map((row) => Object.fromEntries(row.map((cell, at) => [heads[at], cell])));
}

function expected(orders: Known[]) {
  const withSum = orders.filter(({ amount }) => Number(amount) > 0);
  const of = (code: string) => withSum.filter(({ currency }) => String(currency).toUpperCase() === code);
  const sumIn = (code: string) => of(code).reduce((all, { amount }) => all + Math.round(Number(amount) * 10), 0) / 10;
  return [orders.length, orders.length - withSum.length, sumIn('RUB'), sumIn('USD')];
}

test('the report of a month is what the log of the service says, and list --csv says the same', async () => {
  for (let number = 0; number < ORDERS; number += 1) {
    if (number === ORDERS / 2) await world.pass(15 * 60_000);
    await submit(number);
  }
  await world.pass(15 * 60_000);
  for (const month of ['2026-03', '2026-04']) {
    const ofMonth = await reportOf(month);
    for (const source of [logged(), await listed(month)])
      for (const [what, isCounted] of Object.entries(COUNTS)) {
        const counted = source.filter((order) => String(order.createdAt).startsWith(month) && isCounted(order));
        const { orders = 0, withoutSum, sums } = ofMonth('submitted', what) ?? {};
        expect([orders || 'none', withoutSum, sums?.RUB ?? 0, sums?.USD ?? 0], what).toEqual(expected(counted));
      }
  }
  expect((await reportOf('2026-01'))('ended', 'orders')).toMatchObject({ orders: 0, sums: {} });
}, 3_600_000);

test(`a month of ${MONTH} orders, of which half are reduced, is counted in a request for each megabyte`, async () => {
  const ended = (number: number) => {
    const labels = { company: 'c'.repeat(40), amount: 0.004, currency: 'RUB', bank: 'Bank; Other, N.A.' };
    const report = { seconds: { IN_WORK: number + 1 }, offered: true, taken: true };
    const reduced = { report: { ...report, sum: { amount: 0.004, currency: 'RUB' } } };
    const times = { createdAt: '2026-01-05', changedAt: new Date(Date.UTC(2026, 1, 1) + number).toISOString() };
    const facts = { item: 'order', orderRef: `old-${number}`, status: 'CLOSED', listedUnder: '2026-02', ...times };
    return { PutRequest: { Item: { ...facts, ...(number % 2 ? { labels, report } : reduced) } } };
  };
  const table = world.outputs.OrderTable ?? '';
  const puts = Array.from({ length: MONTH }, (_, number) => ended(number));
  const starts = Array.from({ length: MONTH / 25 }, (_, at) => 25 * at);
  await inBatches(starts, (from) =>
    world.dynamodb.send(new BatchWriteCommand({ RequestItems: { [table]: puts.slice(from, from + 25) } })),
  );
  let requests = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    requests += Number(operation === 'Query');
    return undefined;
  };
  const ofMonth = await reportOf('2026-02');
  expect(requests).toBeLessThan(MONTH / 2_000 + 10);
  const counted = { orders: MONTH, withoutSum: 0, sums: { RUB: MONTH / 250 } };
  expect(ofMonth('ended', 'taken')).toEqual({ part: 'ended', what: 'taken', ...counted });
  for (const bank of ['Bank', 'Other, N.A.', '']) expect(ofMonth('bank', bank)).toMatchObject({ orders: MONTH / 2 });
  expect(await printed('report', '--month', '2026-02', '--csv')).toMatch(RegExp(`^"ended","taken","${MONTH}"`, 'm'));
  expect(ofMonth('step', 'total')?.times).toEqual({ median: MONTH / 2, slowestTenth: 0.9 * MONTH });
  expect((await reportOf('2026-01'))('submitted', 'closed')).toMatchObject(counted);
}, 3_600_000);
