import { expect, test } from 'vitest';
import { offerTable } from '../../../../commands/offers.ts';
import { fileOf, namedFact, withNames } from '../../../../commands/shared/document-names.ts';
import type { OrderDetails } from '../../../../commands/shared/order-details.ts';
import { differencesOf, offerViews } from '../../../../commands/shared/overtaken.ts';
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

const details = {
  order: {
    documents: [{ file: 'documents/charter.pdf' }, { file: 'documents/balance.pdf' }],
    rounds: { signatures: { number: 2, fileIds: ['file#1@a', 'file-2'] } },
    decision: { choices: [{ offerId: 'offer-1', code: 'A' }] },
  },
  toSign: [
    { round: 1, fileId: 'file#1@a', name: 'old.pdf' },
    { round: 2, fileId: 'file#1@a', name: 'new.pdf' },
    { round: 2, fileId: 'file-2' },
  ],
} as unknown as OrderDetails;

test.each([
  ['upload-document#1#1@version', 'documents/balance.pdf'],
  ['upload-document#1#7@version', undefined],
  ['upload-signature#1#file#1@a@version', 'old.pdf'],
  ['upload-signature#2#file#1@a@version', 'new.pdf'],
  ['upload-signature#2#file-2@version', 'file-2'],
  ['upload-signature#2#unknown@version', 'unknown'],
  ['create', undefined],
  ['confirm#offer-1', undefined],
])('the operation %s is about the file %s', (operation, file) => {
  expect(fileOf(details, operation)).toBe(file);
});

test('a cause that counts documents to sign names them', () => {
  expect(withNames(details, 'Order a: document number 1 to sign is empty; document number 9 too.')).toBe(
    'Order a: document number 1 ("new.pdf") to sign is empty; document number 9 too.',
  );
});

test.each<[string, [string, string | number], string]>([
  ['Document replaced', ['document', 2], 'document documents/balance.pdf'],
  ['A signature arrived', ['document', 1], 'document new.pdf'],
  ['A signature arrived', ['missing', 1], 'missing 1'],
  ['A signature is passed on unchecked', ['document', 5], 'document 5'],
  ['A confirm was refused', ['choice', 1], 'offer offer-1'],
  ['A confirm was refused', ['choice', 3], 'offer 3'],
])('the timeline names what %s counts: %j', (what, fact, shown) => {
  expect(namedFact(details, what, fact)).toBe(shown);
});

const differences = (seen: object[], now: object[]) => differencesOf(offerViews(seen), offerViews(now));
const offer = { offerId: 'a', status: 'AVAILABLE', bank: { name: 'First', city: 'Perm' } };
const options = [
  { code: 'A-12', rate: 18.5 },
  { code: 'A-24', rate: 19 },
];

test('what a person cannot see is no difference: the order of offers, members and options, and an empty value', () => {
  const shown = [
    { ...offer, creditOptions: options },
    { offerId: 'b', note: '' },
  ];
  const { bank, ...others } = offer;
  const reordered = { bank: { city: bank.city, name: bank.name }, ...others, creditOptions: options.toReversed() };
  expect(differences(shown, [{ offerId: 'b', note: null }, reordered])).toEqual([]);
});

test('each changed member is named, also of an offer or a code that is listed twice', () => {
  const twice = (rate: number) => [
    { ...offer, creditOptions: options },
    { ...offer, creditOptions: [{ code: 'A-12', rate }] },
  ];
  expect(differences(twice(18.5), twice(21.5))).toMatchObject([
    { what: 'changed', changed: [{ code: 'A-12', path: 'rate', before: 18.5, after: 21.5 }] },
  ]);
  const [first] = twice(18.5);
  expect(differences(twice(18.5), first ? [first] : [])).toMatchObject([{ what: 'changed' }]);
  expect(differences([offer], [])).toMatchObject([{ offer: { offerId: 'a' }, what: 'gone' }]);
});

const listed = [
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
  expect(offerTable(listed)).toEqual([
    'OFFER  STATUS     CODE      bankName        amount  rate',
    'one    AVAILABLE  FIRST-12  First Bank   3,000,000  19.5',
    'one    AVAILABLE  FIRST-24  First Bank     500,000  9.75',
    'two    REFUSED    -         Second Bank          -     -',
  ]);
});

test('columns that do not fit into the terminal are named, but never those that a decision needs', () => {
  expect(offerTable(listed, 42)).toEqual([
    'OFFER  STATUS     CODE      bankName',
    'one    AVAILABLE  FIRST-12  First Bank',
    'one    AVAILABLE  FIRST-24  First Bank',
    'two    REFUSED    -         Second Bank',
    '',
    'Not shown, because the terminal is narrow: amount, rate. --wide shows all.',
  ]);
  expect(offerTable(listed, 10)[0]).toBe('OFFER  STATUS     CODE');
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
