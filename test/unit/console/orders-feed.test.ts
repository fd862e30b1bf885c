import { expect, onTestFinished, test, vi } from 'vitest';
import type { ListedOrder } from '../../../commands/shared/order-details.ts';
import { newestOfEach } from '../../../commands/shared/record.ts';
import type { OrdersMessage } from '../../../console/api.ts';
import { OrdersFeed } from '../../../console/server/orders-feed.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const listed = (status: string, second: number): ListedOrder => ({
  orderRef: 'moves',
  status,
  waitingFor: 'service',
  generation: 1,
  changedAt: at(second),
});

async function openFeed(found: { all: ListedOrder[]; changed: ListedOrder[] }) {
  const list = vi.fn(async () => found.all);
  const feed = new OrdersFeed({
    options: [],
    lookEvery: 0,
    record: {
      list,
      doubtfulCreations: async () => new Map(),
      changedSince: async (since) => newestOfEach(found.changed.filter(({ changedAt }) => changedAt >= since)),
    },
  });
  const sent: OrdersMessage[] = [];
  /** Asks as a page does, and keeps an answer with news. */
  const look = async (page = { known: sent.at(-1)?.version ?? 0 }) => {
    const answer = await feed.since(page.known);
    if (answer.isWhole || answer.rows.length > 0) sent.push(answer);
  };
  await look();
  return { look, sent, list };
}

const states = ({ rows }: OrdersMessage) => rows.map(({ orderRef, status }) => [orderRef, status]);

test.each([
  ['before', 'IN_WORK', 'RECEIVED'],
  ['after', 'RECEIVED', 'IN_WORK'],
])('an order that moves to a status that is read %s its last one is told once, as it is now', async (_, now, last) => {
  const other = { ...listed('IN_WORK', 1), orderRef: 'other' };
  const { look, sent } = await openFeed({ all: [other], changed: [listed(last, 1), listed(now, 2)] });
  await look();
  expect(sent.slice(1).map(states)).toEqual([[['moves', now]]]);
});

test('an order that moves while all are read is listed once, as it is now', () => {
  const found = newestOfEach([listed('RECEIVED', 1), listed('IN_WORK', 2)]);
  expect(found).toEqual([listed('IN_WORK', 2)]);
});

test.each<[string, ListedOrder, ListedOrder[], string[][]]>([
  ['an order whose data was erased leaves the page', listed('CLOSED', 1), [], []],
  [
    'a state that was dated before the one known is shown',
    listed('RECEIVED', 2),
    [listed('IN_WORK', 1)],
    [['moves', 'IN_WORK']],
  ],
])('%s when all are read again', async (_what, before, after, shown) => {
  const found = { all: [before], changed: [] };
  const { look, sent } = await openFeed(found);
  found.all = after;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 });
  await look();
  vi.useRealTimers();
  expect(sent.map(states)).toEqual([[['moves', before.status]], shown]);
});

test('an answer of an index that lags does not take an order back', async () => {
  const found = { all: [listed('IN_WORK', 2)], changed: [listed('RECEIVED', 1)] };
  const { look, sent } = await openFeed(found);
  await look();
  expect(sent).toHaveLength(1);
});

test('a change from a clock that is hours ahead does not hide the changes of other orders', async () => {
  const now = Date.now();
  const ahead = { ...listed('RECEIVED', 1), orderRef: 'ahead', changedAt: new Date(now + 7_200_000).toISOString() };
  const found = { all: [ahead], changed: [{ ...listed('IN_WORK', 1), changedAt: new Date(now).toISOString() }] };
  const { look, sent } = await openFeed(found);
  await look();
  expect(sent.map(states)).toEqual([[['ahead', 'RECEIVED']], [['moves', 'IN_WORK']]]);
});

test('an order that moved during a look of minutes, after its status was read, is found by the next look', async () => {
  const found = { all: [listed('RECEIVED', 1)], changed: [] as ListedOrder[] };
  const { look, sent } = await openFeed(found);
  const later = { ...listed('IN_WORK', 1), orderRef: 'later', changedAt: '2026-01-01T00:09:00.000Z' };
  found.changed = [later];
  await look();
  found.changed = [later, listed('CLOSED', 2)];
  await look();
  expect(sent.map(states)).toEqual([[['moves', 'RECEIVED']], [['later', 'IN_WORK']], [['moves', 'CLOSED']]]);
});

test('an order that moved during a first list of minutes, after its status was read, is found by the next look', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(at(1)) });
  onTestFinished(() => void vi.useRealTimers());
  const later = { ...listed('IN_WORK', 1), orderRef: 'later', changedAt: '2026-01-01T00:09:00.000Z' };
  const found = {
    get all() {
      vi.setSystemTime('2026-01-01T00:10:00.000Z');
      return [listed('RECEIVED', 1), later];
    },
    changed: [listed('CLOSED', 2)],
  };
  const { look, sent } = await openFeed(found);
  await look();
  expect(sent.slice(1).map(states)).toEqual([[['moves', 'CLOSED']]]);
});

test('a page that opens again gets what is known with what changed, and all orders are not read again', async () => {
  const found = { all: [listed('RECEIVED', 1)], changed: [] as ListedOrder[] };
  const { look, sent, list } = await openFeed(found);
  found.changed = [listed('IN_WORK', 2)];
  await look();
  await look({ known: 0 });
  expect(sent.map(states)).toEqual([[['moves', 'RECEIVED']], [['moves', 'IN_WORK']], [['moves', 'IN_WORK']]]);
  expect(list).toHaveBeenCalledTimes(1);
});
