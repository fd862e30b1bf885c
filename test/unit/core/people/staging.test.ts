import { expect, test } from 'vitest';
import { stagingKey, toSignKey } from '../../../../core/people/staging.ts';

test.each([
  ['5108adbe-16de', 'orders/ref/to-sign/5108adbe-16de'],
  ['a/b', 'orders/ref/to-sign/a%2Fb'],
  ['договор 1', 'orders/ref/to-sign/%D0%B4%D0%BE%D0%B3%D0%BE%D0%B2%D0%BE%D1%80%201'],
])('the document %j to sign is staged under one name in one folder', (fileId, key) => {
  expect(toSignKey('ref', fileId)).toBe(key);
});

test('a page about a file whose name is too long once encoded gets a key that S3 takes, and that no other file has', () => {
  const names = ['a', 'b'].map((last) => `signatures-rejected/${encodeURIComponent('Ы'.repeat(450) + last)}.json`);
  const keys = names.map((name) => stagingKey('ref', name));
  expect(new Set(keys).size).toBe(2);
  for (const key of keys) {
    expect(key).toMatch(/^orders\/ref\/signatures-rejected\/%D0%AB.*~[0-9a-f]{16}\.json$/);
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(1_024);
  }
  expect(stagingKey('ref', names[0] ?? '')).toBe(keys[0]);
});
