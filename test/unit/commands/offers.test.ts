import { expect, test } from 'vitest';
import { offerTable } from '../../../commands/offers.ts';

const offers = [
  {
    offerId: 'one',
    status: 'AVAILABLE',
    bankName: 'First Bank',
    creditOptions: [
      { code: 'FIRST-12', amount: 3_000_000, rate: 19.5 },
      { code: 'FIRST-24', amount: 500_000, rate: 9.75 },
    ],
  },
  { offerId: 'two', status: 'REFUSED', bankName: 'Second Bank', creditOptions: [] },
];

test('offers have a line for each credit option, a column for each member, and numbers on the right', () => {
  expect(offerTable(offers)).toEqual([
    'OFFER  STATUS     CODE      bankName        amount  rate',
    'one    AVAILABLE  FIRST-12  First Bank   3,000,000  19.5',
    'one    AVAILABLE  FIRST-24  First Bank     500,000  9.75',
    'two    REFUSED    -         Second Bank          -     -',
  ]);
});

test('columns that do not fit into the terminal are named, but never those that a decision needs', () => {
  expect(offerTable(offers, 42)).toEqual([
    'OFFER  STATUS     CODE      bankName',
    'one    AVAILABLE  FIRST-12  First Bank',
    'one    AVAILABLE  FIRST-24  First Bank',
    'two    REFUSED    -         Second Bank',
    '',
    'Not shown, because the terminal is narrow: amount, rate. --wide shows all.',
  ]);
  expect(offerTable(offers, 10)[0]).toBe('OFFER  STATUS     CODE');
});

test('members that nobody knows are shown under their own names, nested ones with their path', () => {
  const odd = {
    offerId: 7,
    bank: { name: 'A', office: { city: 'Б' } },
    tags: ['x', 'y'],
    fees: [{ at: 1 }],
    note: null,
  };
  expect(offerTable([{ ...odd, creditOptions: [{ code: 'C' }] }])).toEqual([
    'OFFER  STATUS  CODE  bank.name  bank.office.city  tags  fees        note',
    '    7  -       C     A          Б                 x, y  [{"at":1}]  -',
  ]);
});

test.each([[null], ['text'], [[]], [{ creditOptions: { code: 'X' } }], [{ creditOptions: [null, 3] }]])(
  'an offer that is %j is shown as far as it goes',
  (offer) => {
    expect(offerTable([offer]).length).toBeGreaterThan(1);
  },
);

test('an offer cannot move the cursor of the terminal', () => {
  const lines = offerTable([{ offerId: '\u001b[2Jone', 'na\u001b[1mme': 'a\r\nb', creditOptions: [] }]);
  expect(lines).toEqual(['OFFER  STATUS  CODE  name', 'one    -       -     a b']);
});
