import { expect, test } from 'vitest';
import { namedOffers, namedPaths, type OfferLabels } from '../../../../commands/shared/offer-terms.ts';

const LABELS: OfferLabels = {
  bank: '/bank/name',
  currency: '/currency',
  amount: '/sum',
  term: { at: '/months', unit: 'months' },
  rate: { at: '/rate', unit: 'fraction' },
  payment: { at: '/pay', every: 'month' },
  expiresAt: '/until',
};

const option = { code: 'A', sum: 1200, months: 12, rate: 0.195, pay: '110.10', collateral: 'none' };
const offer = (creditOptions: unknown) => ({
  offerId: 'one',
  status: 'AVAILABLE',
  bank: { name: 'First Bank', city: 'Kazan' },
  currency: 'RUB',
  creditOptions,
});

test('terms are named in the option, else in the offer; all others stay as the bank wrote them', () => {
  const [found] = namedOffers([offer([option])] as never, LABELS);
  expect(found).toMatchObject({ terms: { bank: 'First Bank', currency: 'RUB' }, members: [['bank.city', 'Kazan']] });
  expect(found?.options).toEqual([
    {
      code: 'A',
      members: [['collateral', 'none']],
      terms: {
        bank: 'First Bank',
        currency: 'RUB',
        amount: 1200,
        term: 12,
        rate: 19.5,
        payment: 110.1,
        payments: 12,
        total: 1321.2,
      },
    },
  ]);
  expect(namedPaths(LABELS)).toMatchObject({ 'bank.name': 'bank', months: 'term' });
});

type Unit = NonNullable<OfferLabels['term']>['unit'];
type Every = NonNullable<OfferLabels['payment']>['every'];

test.each<[string, Unit, Every | undefined, object, number | undefined]>([
  ['weeks and weeks', 'weeks', 'week', { t: 3, p: 10 }, 30],
  ['years and months', 'years', 'month', { t: 2, p: 1 }, 24],
  ['no whole quarters', 'months', 'quarter', { t: 7, p: 1 }, undefined],
  ['days and months', 'days', 'month', { t: 90, p: 1 }, undefined],
  ['no payment', 'months', undefined, { t: 7, p: 1 }, undefined],
])('the total of %s', (_name, unit, every, terms, total) => {
  const labels: OfferLabels = { term: { at: '/t', unit }, ...(every && { payment: { at: '/p', every } }) };
  const [found] = namedOffers([offer([{ code: 'A', ...terms }])] as never, labels);
  expect(found?.options[0]?.terms.total).toBe(total);
});

test('a value that is no number, and lists and texts where an object belongs, stay as they came', () => {
  const strange = { sum: 'about a million', months: null, rate: [1] };
  const options = [{ code: 'A', ...strange }, 7, null];
  const [found, other] = namedOffers([offer(options), 'text', offer('none')] as never, LABELS);
  expect(found?.options).toMatchObject([{ terms: { bank: 'First Bank' }, members: Object.entries(strange) }]);
  expect(other?.members).toContainEqual(['creditOptions', 'none']);
  expect(namedOffers([offer([option])] as never, {})[0]?.options[0]?.members).toContainEqual(['sum', 1200]);
});

test.each([
  ['digits as a currency', { currency: '000 000 RUB' }, 'currency'],
  ['a date of another form', { until: '05.12.2026' }, 'expiresAt'],
  ['a day that its month does not have', { until: '2026-02-31' }, 'expiresAt'],
  ['a negative payment', { pay: -1 }, 'payment'],
  ['a sum with spaces', { sum: '1 000 000,00' }, 'amount'],
] as const)('%s is no term, and stays as the bank wrote it', (_name, term, name) => {
  const [found] = namedOffers([{ ...offer([{ ...option, ...term }]), currency: '' }] as never, LABELS);
  expect(found?.options[0]?.terms).not.toHaveProperty(name);
  expect(found?.options[0]?.members).toContainEqual(Object.entries(term)[0]);
});
