import { expect, test } from 'vitest';
import { nearestName } from '../../../../core/package/nearest-name.ts';

test('the near name is the one that differs in case, in the form of its letters, or by two typos', () => {
  const names = ['documents/charter.pdf', 'documents/баланс-й.pdf'];
  expect(nearestName('documents/Charter.pdf', names)).toBe(names[0]);
  expect(nearestName('documents/chater.pdf', names)).toBe(names[0]);
  expect(nearestName('documents/баланс-й.pdf'.normalize('NFD'), names)).toBe(names[1]);
  expect(nearestName('documents/questionnaire.pdf', names)).toBeUndefined();
  expect(nearestName('in', ['id'])).toBeUndefined();
  expect(nearestName('inm', ['id', 'inn'])).toBe('inn');
});

test('names of any length are compared in linear time', () => {
  const names = Array.from({ length: 20 }, () => 'b'.repeat(20_000));
  expect(nearestName('a'.repeat(20_000), names)).toBeUndefined();
  expect(nearestName(`${'b'.repeat(19_999)}a`, names)).toBe(names[0]);
}, 5_000);
