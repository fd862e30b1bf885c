import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { ReportLine } from '../../commands/shared/month-report.ts';
import { inBatches } from '../../core/in-batches.ts';
import { commandsIn, inItsTime } from '../helpers/commands-in.ts';
import { NO_SIGNATURES, openWorld, rareSweeps } from '../helpers/open-world.ts';
import { DAY } from '../helpers/world.ts';

/** By hand: ORDERS=500 simulated ones, and MONTH=100000 that are only recorded. */
const ORDERS = Number(process.env.ORDERS ?? 40);
const MONTH = Number(process.env.MONTH ?? 6_000);

const world = await openWorld({ settings: NO_SIGNATURES, ordersGoOn: true, deliveryWrapper: rareSweeps(60) });
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

interface Logged {
  month: string;
  loan: { amount: unknown; currency: string };
  statuses: string[];
  offered?: true;
  taken?: true;
}

/** What the service was asked and answered, by order. */
function logged(): Logged[] {
  const orders = new Map<string, Logged>();
  for (const { orderId = '', method, path, at, status = 0, requestBody, responseBody } of world.simulator.calls()) {
    if (status >= 300 || orderId === '') continue;
    const sent = requestBody as { value?: { loan?: Logged['loan']; questionnaire?: { loan: Logged['loan'] } } };
    const loan = sent?.value?.questionnaire?.loan ?? sent?.value?.loan;
    if (loan) orders.set(orderId, { month: new Date(at).toISOString().slice(0, 7), loan, statuses: [] });
    const order = orders.get(orderId);
    const answer = responseBody as { status?: string; offers?: { status: string }[] } | undefined;
    if (method === 'GET' && answer?.status && order) order.statuses.push(answer.status);
    if (order && answer?.offers?.some((offer) => offer.status === 'AVAILABLE')) order.offered = true;
    if (order && path.endsWith('/confirm')) order.taken = true;
  }
  return [...orders.values()];
}

function expected(orders: Logged[]) {
  const cents: Record<string, number> = {};
  for (const { loan } of orders) {
    if (typeof loan.amount === 'number')
      cents[loan.currency.toUpperCase()] = (cents[loan.currency.toUpperCase()] ?? 0) + Math.round(loan.amount * 100);
  }
  const sums = Object.fromEntries(Object.entries(cents).map(([currency, sum]) => [currency, sum / 100]));
  const withoutSum = orders.filter(({ loan }) => typeof loan.amount !== 'number').length;
  return { orders: orders.length, withoutSum, sums };
}

test('the report of a month is what the log of the service says, and list --csv says the same', async () => {
  world.clock.advanceTo(Date.UTC(2026, 2, 31, 20));
  for (let number = 0; number < ORDERS; number += 1) {
    if (number === ORDERS / 2) await world.pass(DAY);
    await submit(number);
  }
  await world.pass(DAY);
  const all = logged();
  expect(all).toHaveLength(ORDERS);
  const isLast = (order: Logged, status: string) => order.statuses.at(-1) === status;
  for (const month of ['2026-03', '2026-04']) {
    const ofMonth = await reportOf(month);
    const submitted = all.filter((order) => order.month === month);
    const rows = (await printed('list', '--csv', '--since', month)).split('\n').map((line) => JSON.parse(`[${line}]`));
    const [heads = []] = rows;
    const listed = rows
      .slice(1, -1)
      .map((row) => Object.fromEntries(row.map((cell: string, at: number) => [heads[at], cell])));
    const inMonth = listed.filter(({ createdAt }) => createdAt.startsWith(month));
    for (const [what, isCounted, isListed] of [
      ['orders', () => true, () => true],
      ['offered', ({ offered }: Logged) => offered, ({ offered }: Record<string, string>) => offered === 'true'],
      ['taken', ({ taken }: Logged) => taken, ({ taken }: Record<string, string>) => taken === 'true'],
      ['closed', (one: Logged) => isLast(one, 'CLOSED'), ({ status }: Record<string, string>) => status === 'CLOSED'],
      [
        'refused',
        (one: Logged) => isLast(one, 'VALIDATION_FAILED'),
        (one: Record<string, string>) => one.status === 'VALIDATION_FAILED',
      ],
    ] as const) {
      const counted = submitted.filter(isCounted);
      expect(counted.length, what).toBeGreaterThan(0);
      expect(ofMonth('submitted', what), what).toMatchObject(expected(counted));
      const sums = inMonth.filter(isListed).filter(({ amount }) => amount.endsWith('.1'));
      expect(inMonth.filter(isListed)).toHaveLength(counted.length);
      expect(sums).toHaveLength(counted.length - expected(counted).withoutSum);
    }
    expect(ofMonth('now', 'OFFERS_AVAILABLE')?.orders).toBe(
      submitted.filter((one) => isLast(one, 'OFFERS_AVAILABLE')).length,
    );
    expect(ofMonth('bank', 'First Bank, Third Bank')?.orders).toBe(ofMonth('ended', 'taken')?.orders);
    expect(ofMonth('step', 'IN_WORK')?.times).toMatchObject({ median: expect.any(Number) });
  }
  expect((await reportOf('2026-01'))('submitted', 'orders')).toMatchObject({ orders: 0, sums: {} });
}, 600_000);

/** The n-th took n seconds. Half of the month's are reduced: they have no labels. */
function ended(number: number) {
  const labels = { company: 'c'.repeat(40), amount: 0.1, currency: 'RUB', bank: `Bank ${number % 3}` };
  const report = { seconds: { IN_WORK: number + 1 }, offered: true, taken: true };
  const facts = { item: 'order', orderRef: `old-${number}`, orderId: 'x'.repeat(36), generation: 1, status: 'CLOSED' };
  const times = {
    createdAt: '2026-01-05T00:00:00.000Z',
    changedAt: '2026-02-01T00:00:00.000Z',
    listedUnder: '2026-02',
  };
  const sum = { amount: 0.1, currency: 'RUB' };
  return { ...facts, ...times, ...(number % 2 ? { labels, report } : { report: { ...report, sum } }) };
}

test(`a month of ${MONTH} orders is counted exactly, in a request for each megabyte`, async () => {
  const starts = Array.from({ length: Math.ceil(MONTH / 25) }, (_, at) => 25 * at);
  await inBatches(starts, (start) => {
    const puts = Array.from({ length: Math.min(25, MONTH - start) }, (_, at) => ({
      PutRequest: { Item: ended(start + at) },
    }));
    return world.dynamodb.send(new BatchWriteCommand({ RequestItems: { [world.outputs.OrderTable ?? '']: puts } }));
  });
  let requests = 0;
  world.wrappers.requestWrapper = async ({ operation }) => {
    requests += Number(operation === 'Query');
    return undefined;
  };
  const begun = performance.now();
  const ofMonth = await reportOf('2026-02');
  if (process.env.MONTH) console.log({ requests, seconds: (performance.now() - begun) / 1000 });
  expect(requests).toBeLessThan(MONTH / 2_000 + 10);
  const sums = { RUB: MONTH / 10 };
  expect(ofMonth('ended', 'taken')).toEqual({ part: 'ended', what: 'taken', orders: MONTH, withoutSum: 0, sums });
  expect(ofMonth('bank', '')?.orders).toBe(MONTH / 2);
  expect(ofMonth('step', 'total')?.times).toEqual({ median: MONTH / 2, slowestTenth: 0.9 * MONTH });
  expect((await reportOf('2026-01'))('submitted', 'closed')).toMatchObject({ orders: MONTH, sums });
}, 3_600_000);
