import { expect, test } from 'vitest';
import { differencesOf, offerViews } from '../../../../commands/shared/overtaken.ts';

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
