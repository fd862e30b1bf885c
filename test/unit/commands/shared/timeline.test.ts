import { expect, test } from 'vitest';
import { timelineOf } from '../../../../commands/shared/timeline.ts';

const orderRef = 'order-1';
const at = (second: number) => `2026-11-25T10:00:0${second}.000Z`;
const order = { orderRef, item: 'order', createdAt: at(0), documents: [{}, {}] };
const done = (name: string, endedAt: string, outcome: object) => ({
  orderRef,
  item: `operation#${name}`,
  state: 'done',
  endedAt,
  outcome,
});
const event = (time: string, what: string, facts = {}) => ({
  orderRef,
  item: `event#${time}#name`,
  at: time,
  what,
  ...facts,
});
const confirmed = done('confirm#o-1', at(3), { offerId: 'o-1', code: 'A' });
const shown = (items: { orderRef: string; item: string }[]) =>
  timelineOf(items).map(({ orderRef: _orderRef, item: _item, ...line }) => line);

test('lines follow from the order and from the operations that were done, between those that were written', () => {
  const items = [
    event(at(2), 'Status IN_WORK'),
    done('accept-documents#1', at(4), { round: 1 }),
    confirmed,
    done('create', at(1), { orderId: 'ord-1' }),
    done('upload-document#1#0@v', at(2), {}),
    { ...done('accept-signatures#1', at(5), {}), state: 'open' },
    { orderRef, item: 'callback#decision#digest' },
    order,
  ];
  expect(shown(items)).toEqual([
    { at: at(0), what: 'Package accepted', documents: 2 },
    { at: at(1), what: 'Order created', orderId: 'ord-1' },
    { at: at(2), what: 'Status IN_WORK' },
    { at: at(3), what: 'Confirmed an offer', offerId: 'o-1', code: 'A' },
    { at: at(4), what: 'Accepted documents', round: 1 },
  ]);
});

test.each(['Found an offer confirmed', 'Confirmed an offer'])(
  'the written line "%s" stands for its confirm',
  (what) => {
    const written = event(at(4), what, { code: 'A', offerId: 'o-1' });
    const lines = shown([written, confirmed, done('confirm#o-2', at(5), { offerId: 'o-2', code: 'B' })]);
    expect(lines).toMatchObject([
      { at: at(4), what, offerId: 'o-1' },
      { what: 'Confirmed an offer', offerId: 'o-2' },
    ]);
  },
);

test('nothing follows from an order whose record is reduced', () => {
  expect(shown([{ ...order, removal: { record: {} } } as typeof order])).toEqual([]);
});
