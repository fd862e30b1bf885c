import { expect, test } from 'vitest';
import { intakePart, isOrderRef } from '../../../../core/package/intake-key.ts';

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
