import { expect, test } from 'vitest';
import { parseDecision } from '../../../../core/package/decision-schema.ts';
import { intakePart, isOrderRef } from '../../../../core/package/intake-key.ts';
import { nearestName } from '../../../../core/package/nearest-name.ts';

test.each([
  ['orders/a/order.json', { part: 'package', folder: 'a' }],
  ['orders/a b/order.json', { part: 'package', folder: 'a b' }],
  ['orders/a/decision.json', { part: 'decision', folder: 'a' }],
  ['orders/a/documents/x/y.pdf', { part: 'document', folder: 'a', file: 'documents/x/y.pdf' }],
  ['orders/a/signatures/f-1.sig', { part: 'signature', folder: 'a', fileId: 'f-1' }],
  ['orders/a/signatures/f.txt', { part: 'misnamed-signature', folder: 'a', name: 'f.txt' }],
  ['orders/a/signatures/x/y.sig', { part: 'misnamed-signature', folder: 'a', name: 'x/y.sig' }],
  ['orders/a/signatures/a%2Db.sig', { part: 'signature', folder: 'a', fileId: 'a-b' }],
  ['orders/a/signatures/100%.sig', { part: 'signature', folder: 'a', fileId: '100%' }],
])('the intake key %s is %j', (key, part) => {
  expect(intakePart(key)).toEqual(part);
});

test.each([
  'order.json',
  'orders/order.json',
  'orders//order.json',
  'orders/a/',
  'orders/a/documents/',

  'other/a/order.json',
  'orders/a/readme.txt',
])('the intake key %s is not part of any package', (key) => {
  expect(intakePart(key)).toBeUndefined();
});

test.each(['a', 'A-1_b.c', '0'.repeat(64)])('%s is a valid orderRef', (name) => {
  expect(isOrderRef(name)).toBe(true);
});

test.each(['', '.a', '-a', '#token', 'a b', 'заявка', 'a/b', '0'.repeat(65), 'a\n'])(
  '%j is not a valid orderRef',
  (name) => {
    expect(isOrderRef(name)).toBe(false);
  },
);

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

const UNSEEN = [' \u00a0', '\u200d', 'a\nb', '\u001b[2Ja', 'a\u202eb', 'a\u200bb', 'a\ud800', '\u3164', 'a\u034fb'];
const unseen = 'It is blank, or has characters that cannot be seen or turn the direction of the text.';

test.each<[unknown, string]>([
  ['', 'It is empty.'],
  ...UNSEEN.map((name): [string, string] => [name, unseen]),
  ['a'.repeat(257), 'It has too many characters: the most is 256.'],
  [7, 'It is not a string in quotes.'],
  [null, 'It is not a string in quotes.'],
])('a decision by %j is rejected', (decidedBy, problem) => {
  const parsed = parseDecision(Buffer.from(JSON.stringify({ choices: [], decidedBy })));
  expect(parsed).toMatchObject({ problems: [{ path: '$.decidedBy', problem }] });
});

test.each([
  ['{"choices":[{"offerId":"a","code":"b"}],"choices":[]}', '$.choices'],
  ['{"choices":[{"offerId":"a","code":"b","\\u0063ode":"c"}]}', '$.choices[0].code'],
  ['{"choices":[{"offerId":"code","code":"code"},{"offerId":"b","code":"c"}]}', undefined],
])('a decision that has a property twice is rejected: %s', (text, path) => {
  const twice = { problems: [{ path, problem: 'The property occurs twice.', fix: 'Name each property once.' }] };
  const expected = path === undefined ? { choices: expect.any(Array) } : twice;
  expect(parseDecision(Buffer.from(text))).toMatchObject(expected);
});
