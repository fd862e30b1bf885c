import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { ReportLine } from '../../commands/shared/month-report.ts';
import { inBatches } from '../../core/in-batches.ts';
import { commandsIn, inItsTime } from '../helpers/commands-in.ts';
import { NO_SIGNATURES, openWorld, rareSweeps } from '../helpers/open-world.ts';

/** By hand: ORDERS=500 that are simulated, MONTH=100000 that are only recorded. */
const ORDERS = Number(process.env.ORDERS ?? 20);
const MONTH = Number(process.env.MONTH ?? 6_000);

const world = await openWorld({
  settings: NO_SIGNATURES,
  isNew: true,
  ordersGoOn: true,
  deliveryWrapper: rareSweeps(60),
});
const { done } = commandsIn(world);
const printed = (...args: string[]) => inItsTime(world, () => done(...args));

async function reportOf(month: string) {
  const lines: ReportLine[] = JSON.parse(await printed('report', '--month', month, '--json'));
  return (part: string, what: string) => lines.find((line) => line.part === part && line.what === what);
}

const SCENARIOS = [undefined, undefined, 'validation-fails-after-documents', 'no-offer-approved', undefined];

async function submit(number: number): Promise<void> {
  const scenario = SCENARIOS[number % SCENARIOS.length];
  const amount = number % 7 === 0 ? 'five million' : 1_000 * number + 0.1;
  const order = { company: { name: 'x' }, loan: { amount, currency: number % 3 ? 'RUB' : 'usd' } };
  const offers = number % 5 === 4 && { offers: { choose: 'manual' } };
  await world.submit(`order-${number}`, { ...(scenario && { scenario }), order, ...offers });
}

type Known = Record<'month' | 'status' | 'amount' | 'currency' | 'offered' | 'taken', unknown>;

/** What the service was asked and answered, by order. */
function logged(): Known[] {
  const orders = new Map<string, Known>();
  for (const { orderId = '', path, at, status = 0, requestBody, responseBody } of world.simulator.calls()) {
    if (status >= 300 || orderId === '') continue;
    const month = new Date(at).toISOString().slice(0, 7);
    const loan = /"loan":(\{.*?\})/.exec(JSON.stringify(requestBody ?? {}))?.[1];
    const known: Partial<Known> = orders.get(orderId) ?? { month, ...JSON.parse(loan ?? '{}') };
    const answer = (responseBody ?? {}) as { status?: string; offers?: { status: string }[] };
    known.status = answer.status ?? known.status;
    known.offered ||= answer.offers?.some((offer) => offer.status === 'AVAILABLE');
    known.taken ||= path.endsWith('/confirm');
    orders.set(orderId, known as Known);
  }
  return [...orders.values()];
}

async function listed(month: string): Promise<Known[]> {
  const rows = (await printed('list', '--csv', '--since', month)).trim().split('\n');
  const [heads = [], ...cells] = rows.map((row) => JSON.parse(`[${row}]`) as string[]);
  return cells.map((row) => {
    const cell = (name: string) => row[heads.indexOf(name)] ?? '';
    const [amount, currency, status] = [cell('amount'), cell('currency'), cell('status')];
    const known = { amount: /\d/.test(amount) ? Number(amount) : amount, currency, status };
    const [offered, taken] = [cell('offered') === 'true', cell('taken') === 'true'];
    return { ...known, month: cell('createdAt').slice(0, 7), offered, taken };
  });
}

function expected(orders: Known[]) {
  const sums: Record<string, number> = {};
  const withSum = orders.filter(({ amount }) => typeof amount === 'number');
  for (const { amount, currency } of withSum) {
    const name = String(currency).toUpperCase();
    sums[name] = (Math.round((sums[name] ?? 0) * 10) + Math.round(Number(amount) * 10)) / 10;
  }
  return { orders: orders.length, withoutSum: orders.length - withSum.length, sums };
}

const COUNTS: [string, (order: Known) => unknown][] = [
  ['orders', () => true],
  ['offered', ({ offered }) => offered],
  ['taken', ({ taken }) => taken],
  ['closed', ({ status }) => status === 'CLOSED'],
  ['refused', ({ status }) => status === 'VALIDATION_FAILED'],
];

test('the report of a month is what the log of the service says, and list --csv says the same', async () => {
  world.clock.advanceTo(Date.UTC(2026, 2, 31, 23, 50));
  for (let number = 0; number < ORDERS; number += 1) {
    if (number === ORDERS / 2) await world.pass(15 * 60_000);
    await submit(number);
  }
  await world.pass(15 * 60_000);
  for (const month of ['2026-03', '2026-04']) {
    const ofMonth = await reportOf(month);
    for (const source of [logged(), await listed(month)])
      for (const [what, isCounted] of COUNTS) {
        const counted = source.filter((order) => order.month === month && isCounted(order));
        expect(counted.length, what).toBeGreaterThan(0);
        expect(ofMonth('submitted', what), what).toMatchObject(expected(counted));
      }
    expect(ofMonth('bank', 'First Bank, Third Bank')?.orders).toBe(ofMonth('ended', 'taken')?.orders);
  }
  expect((await reportOf('2026-01'))('submitted', 'orders')).toMatchObject({ orders: 0, sums: {} });
}, 600_000);

test(`a month of ${MONTH} orders, of which half are reduced, is counted in a request for each megabyte`, async () => {
  const ended = (number: number) => {
    const labels = { company: 'c'.repeat(40), amount: 0.1, currency: 'RUB', bank: 'Bank' };
    const report = { seconds: { IN_WORK: number + 1 }, offered: true, taken: true };
    const reduced = { report: { ...report, sum: { amount: 0.1, currency: 'RUB' } } };
    const times = { createdAt: '2026-01-05', changedAt: new Date(Date.UTC(2026, 1, 1) + number).toISOString() };
    const facts = { item: 'order', orderRef: `old-${number}`, status: 'CLOSED', listedUnder: '2026-02', ...times };
    return { PutRequest: { Item: { ...facts, ...(number % 2 ? { labels, report } : reduced) } } };
  };
  const puts = Array.from({ length: MONTH }, (_, number) => ended(number));
  const starts = Array.from({ length: Math.ceil(MONTH / 25) }, (_, at) => 25 * at);
  const table = world.outputs.OrderTable ?? '';
  await inBatches(starts, (from) =>
    world.dynamodb.send(new BatchWriteCommand({ RequestItems: { [table]: puts.slice(from, from + 25) } })),
  );
  let requests = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    requests += Number(operation === 'Query');
    return undefined;
  };
  const ofMonth = await reportOf('2026-02');
  if (process.env.MONTH) console.log({ requests });
  expect(requests).toBeLessThan(MONTH / 2_000 + 10);
  const counted = { orders: MONTH, withoutSum: 0, sums: { RUB: MONTH / 10 } };
  expect(ofMonth('ended', 'taken')).toEqual({ part: 'ended', what: 'taken', ...counted });
  expect(ofMonth('bank', '')?.orders).toBe(MONTH / 2);
  expect(ofMonth('step', 'total')?.times).toEqual({ median: MONTH / 2, slowestTenth: 0.9 * MONTH });
  expect((await reportOf('2026-01'))('submitted', 'closed')).toMatchObject(counted);
}, 3_600_000);
