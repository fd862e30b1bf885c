import { expect, test } from 'vitest';
import { SortedKeys } from '../s3/sorted-keys.ts';

test('keys are sorted by their UTF-8 bytes without duplicates, in whatever sequence they were added', () => {
  const keys = new SortedKeys();
  // In UTF-16 the second of these two would come first.
  for (const key of ['b', '\uffee', '\u{1f600}', 'a/2', 'a', 'a/10', 'a', 'ab']) keys.add(key);
  expect(keys.startingWith('')).toEqual(['a', 'a/10', 'a/2', 'ab', 'b', '\uffee', '\u{1f600}']);
});

test('a search by prefix finds only the keys with that prefix', () => {
  const keys = new SortedKeys();
  for (const key of ['a', 'a/2', 'a/10', 'a0', 'b/1', '']) keys.add(key);
  expect(keys.startingWith('a/')).toEqual(['a/10', 'a/2']);
  expect(keys.startingWith('c')).toEqual([]);
  keys.delete('a/10');
  keys.delete('a/1');
  expect(keys.startingWith('a')).toEqual(['a', 'a/2', 'a0']);
});
