import { describe, expect, test } from 'vitest';
import { dueOf } from '../../../../core/order/due.ts';
import { banksOf, labelsOf, valueAt } from '../../../../core/order/labels.ts';
import { announcedChanges } from '../../../../core/order/order-changes.ts';
import type { OrderItem } from '../../../../core/order/order-item.ts';
import type { Offer } from '../../../../core/order-service/order-service-client.ts';

test.each([
  ['/a/b', 1],
  ['/x~1y/m~0n', 2],
  ['/list/1', 4],
  ['/', 5],
  ['/list/length', undefined],
  ['/a/constructor', undefined],
  ['/a/b/c', undefined],
  ['/a/__proto__/toString', undefined],
])('the value at %s is %s', (pointer, value) => {
  const data = { a: { b: 1 }, 'x/y': { 'm~n': 2 }, list: [3, 4], '': 5 };
  expect(valueAt(data, pointer)).toBe(value);
});

describe('labels of a package', () => {
  const labelOf = (value: string) =>
    labelsOf(Buffer.from(`{"order":{"value":${value}}}`), { label: '/value', missing: '/no' }).label;

  test.each([
    ['"Trade LLC"', 'Trade LLC'],
    ['5000000.00', 5_000_000],
    ['-0.1', -0.1],
    ['1234567890123456789.5', '1234567890123456789.5'],
    ['1e400', '1e400'],
    ['5.0e6', 5_000_000],
    ['"00123"', '00123'],
    ['""', undefined],
    ['{"rawJSON":"1"}', undefined],
    ['["text"]', undefined],
    ['true', undefined],
    ['null', undefined],
  ])('%s becomes %s', (value, label) => expect(labelOf(value)).toBe(label));

  test('a long text is cut, and half a character is no text for DynamoDB', () => {
    expect(labelOf(`"${'я'.repeat(300)}"`)).toHaveLength(200);
    expect(labelOf('"\\ud800"')).toBe('\ufffd');
  });
});

const offer = (offerId: string, status: string, facts: object): Offer => ({ offerId, status, ...facts }) as Offer;
const broken = [null, 7] as unknown as Offer[];
const offers = [
  ...broken,
  offer('1', 'AVAILABLE', {
    bank: 'One',
    until: '2026-03-20',
    creditOptions: [{ code: 'a' }, { code: 'b', bank: 'Part' }],
  }),
  offer('2', 'AVAILABLE', { bank: 'Two', until: '2026-03-10T12:00:00+03:00' }),
  offer('3', 'REFUSED', { bank: 'Three', until: '2026-03-02' }),
  offer('4', 'AVAILABLE', { bank: 'One', until: 'soon', creditOptions: 'none' }),
  offer('5', 'AVAILABLE', { bank: { name: 'x' }, until: '2026-02-01' }),
];

test('the banks are those of the choices, else of the offers that can be taken', () => {
  expect(banksOf(offers, [], '/bank')).toBe('One; Part; Two');
  const choices = ['1 b', '3 c'].map((one) => ({ offerId: one.slice(0, 1), code: one.slice(2) }));
  expect(banksOf(offers, choices, '/bank')).toBe('Part; Three');
  expect(banksOf(offers, [{ offerId: '9', code: 'c' }], '/bank')).toBe('');
  const long = ['a', 'b', 'c'].map((name) => offer(name, 'AVAILABLE', { bank: name.repeat(90) }));
  expect(banksOf(long, [], '/bank')).toBe(`${'a'.repeat(90)}; ${'b'.repeat(90)}`);
});

test('a decision is due when the first offer expires that can be taken, signatures at the deadline', () => {
  const [since, deadlines] = [
    '2026-03-01T00:00:00.000Z',
    { signaturesDays: 14, decisionDays: 30, expiresAt: '/until' },
  ];
  const due = (what: 'signatures' | 'decision', of: Offer[], expiresAt: string | undefined = '/until') =>
    dueOf({ what, since }, of, { ...deadlines, expiresAt });
  expect(due('decision', offers)).toBe('2026-03-10T09:00:00.000Z');
  expect(due('decision', offers.slice(4))).toBe('2026-03-31T00:00:00.000Z');
  expect(due('signatures', offers)).toBe('2026-03-15T00:00:00.000Z');
});

test('nobody is reminded twice, or of an order that does not wait for people any more', () => {
  const awaited = { what: 'decision' as const, round: 1, since: '2026-03-01T00:00:00.000Z' };
  const before = { orderRef: 'o', status: 'OFFERS_AVAILABLE', awaited } as OrderItem;
  const changes = {
    waitingFor: 'decision' as const,
    awaited,
    due: '2026-03-31T00:00:00.000Z',
    remindedFor: awaited.since,
  };
  expect(announcedChanges(before, changes)).toEqual([{ type: 'Deadline Near', what: 'decision', due: changes.due }]);
  expect(announcedChanges({ ...before, remindedFor: awaited.since }, changes)).toEqual([]);
  const { waitingFor: _late, ...late } = changes;
  expect(announcedChanges(before, late)).toEqual([]);
});
