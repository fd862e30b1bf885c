import { expect, test } from 'vitest';
import { SortedKeys } from '../../../../local/aws/s3/sorted-keys.ts';

test('keys stand in the order of their UTF-8 bytes, each once, however they came', () => {
  const keys = new SortedKeys();
  // UTF-16 has the second before the first of these two.
  for (const key of ['b', '\uffee', '\u{1f600}', 'a/2', 'a', 'a/10', 'a', 'ab']) keys.add(key);
  expect(keys.startingWith('')).toEqual(['a', 'a/10', 'a/2', 'ab', 'b', '\uffee', '\u{1f600}']);
});

test('those under a prefix are found, and no others', () => {
  const keys = new SortedKeys();
  for (const key of ['a', 'a/2', 'a/10', 'a0', 'b/1', '']) keys.add(key);
  expect(keys.startingWith('a/')).toEqual(['a/10', 'a/2']);
  expect(keys.startingWith('c')).toEqual([]);
  keys.delete('a/10');
  keys.delete('a/1');
  expect(keys.startingWith('a')).toEqual(['a', 'a/2', 'a0']);
});
