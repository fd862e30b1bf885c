import { expect, test } from 'vitest';
import { OrderLines, type ShownOrder } from '../../../laptop/order-lines.ts';
import { wrappedLine } from '../../../laptop/screen.ts';

const NOW = Date.parse('2026-03-02T10:00:00.000Z');

const order = (orderRef: string, change: Partial<ShownOrder> = {}): ShownOrder => ({
  orderRef,
  status: 'IN_WORK',
  waitingFor: 'service',
  changedAt: '2026-03-02T09:00:00.000Z',
  ...change,
});

function linesOf(orders: ShownOrder[], columns = 120, room = 24): string[] {
  const lines = new OrderLines('--local');
  for (const one of orders) lines.changed(one);
  return lines.lines(columns, room, NOW);
}

test('the line of an order says its status, what it waits for and when it is read next', () => {
  const failure = { error: 'ServiceUnavailable', cause: 'No connection.', at: '2026-03-02T09:00:00.000Z' };
  const resume = { at: '2026-03-02T10:05:00.000Z' } as ShownOrder['resume'];
  expect(
    linesOf([
      order('read', { notBefore: { readAt: '2026-03-02T10:00:02.000Z' } }),
      order('asked', { status: 'OFFERS_AVAILABLE', waitingFor: 'decision' }),
      order('away', { failure, resume }),
      order('failed', { failure, waitingFor: 'operator' }),
      order('closed', { status: 'CLOSED', waitingFor: 'nobody' }),
      order('late', { notBefore: { readAt: '2026-03-02T09:59:59.000Z' } }),
      order('dismissed', { failure, waitingFor: 'nobody' }),
      order('odd', { status: 'IN\u001b[2J_WORK' }),
    ]),
  ).toEqual([
    'read               IN_WORK  waits for service, next read in 2 s',
    'asked              OFFERS_AVAILABLE  waits for decision',
    'away               IN_WORK  stopped by ServiceUnavailable, goes on by itself in 5 min',
    'failed             IN_WORK  stopped by ServiceUnavailable: loan-orders --local show failed',
    'closed             CLOSED  over',
    'late               IN_WORK  waits for service',
    'dismissed          IN_WORK  over: ServiceUnavailable',
    'odd                IN_WORK  waits for service',
  ]);
});

test('an order that changes keeps its one line', () => {
  expect(linesOf([order('a'), order('b'), order('a', { status: 'CLOSED', waitingFor: 'nobody' })])).toEqual([
    'a                  CLOSED  over',
    'b                  IN_WORK  waits for service',
  ]);
});

test('of more orders than there are rows, those that go on and changed last are shown, and the rest is counted', () => {
  const orders = Array.from({ length: 9 }, (_, number) =>
    number % 2 === 0
      ? order(`over-${number}`, { status: 'CLOSED', waitingFor: 'nobody', changedAt: '2026-03-02T09:59:00.000Z' })
      : order(`goes-on-${number}`, { changedAt: `2026-03-02T09:0${number}:00.000Z` }),
  );
  expect(linesOf(orders, 120, 4)).toEqual([
    'goes-on-3          IN_WORK  waits for service',
    'goes-on-5          IN_WORK  waits for service',
    'goes-on-7          IN_WORK  waits for service',
    '… 6 orders more, 5 over',
  ]);
});

test.each([40, 20, 10])(
  'no line is wider than a terminal of %i columns, and no more lines are shown than it has room',
  (columns) => {
    const orders = Array.from({ length: 20 }, (_, number) => order(`a-long-reference-of-order-${number}`));
    const lines = linesOf(orders, columns, 10);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(lines.length).toBeLessThanOrEqual(10);
  },
);

test('a long line is wrapped between words, and what follows is indented', () => {
  expect(wrappedLine('  aws s3 cp the-package', 14)).toEqual(['  aws s3 cp', '    the-packag', '    e']);
  expect(wrappedLine('short', 14)).toEqual(['short']);
});
