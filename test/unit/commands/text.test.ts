import { expect, test } from 'vitest';
import { columns, plain, time } from '../../../commands/text.ts';

test('columns are as wide as their widest cell, and an empty cell is shown as a dash', () => {
  expect(
    columns([
      ['A', 'LONG'],
      ['longer', ''],
      ['b', 'c'],
    ]),
  ).toEqual(['A       LONG', 'longer  -', 'b       c']);
});

test('text from the service cannot move the cursor of the terminal', () => {
  expect(plain('\u001b[2JCLOSED\r\nby\u0007 me ')).toBe('CLOSED by  me');
});

test('times are shown in UTC, to the second', () => {
  expect(time('2026-01-02T03:04:05.678Z')).toBe('2026-01-02 03:04:05Z');
  expect(time(undefined)).toBe('-');
});
