import { expect, onTestFinished, test } from 'vitest';
import { columns, formatBytes, formatSpan, jsonText, plain, some, time } from '../../../../commands/shared/text.ts';

test('columns are as wide as their widest cell, and an empty cell is shown as a dash', () => {
  expect(
    columns([
      ['A', 'LONG'],
      ['longer', ''],
      ['b', 'c'],
    ]),
  ).toEqual(['A       LONG', 'longer  -', 'b       c']);
});

test('on a terminal the last column is as wide as the rest of the line, or stands below', () => {
  const { isTTY, columns: width } = process.stdout;
  onTestFinished(() => void Object.assign(process.stdout, { isTTY, columns: width }));
  Object.assign(process.stdout, { isTTY: true, columns: 42 });
  const rows = (first: string) => columns([[first, 'one two three four five six seven eight']]);
  expect(rows('short')).toEqual(['short  one two three four five six seven', '       eight']);
  expect(rows('a'.repeat(30))).toEqual(['a'.repeat(30), '    one two three four five six seven', '    eight']);
});

test('text from the service cannot move the cursor of the terminal', () => {
  expect(plain('\u001b[2JCLOSED\r\nby\u0007 me ')).toBe('CLOSED by  me');
});

test('text from others shows marks that turn its direction, and any other that cannot be seen', () => {
  expect(plain('evil\u202efdp.exe\u2066 a\u200bb\u2028c \u3164')).toBe(
    'evil%E2%80%AEfdp.exe%E2%81%A6 a%E2%80%8Bb c %E3%85%A4',
  );
  expect(plain('\u0007\u2028')).toBe('');
});

test('text from others keeps the joiners that some scripts are written with', () => {
  expect(['می‌خواهم', 'क्‍ष', '👩‍💼 ❤️'].map(plain)).toEqual(['می‌خواهم', 'क्‍ष', '👩‍💼 ❤️']);
});

test('JSON for scripts shows them as escapes, and is the same value', () => {
  const value = { '\u202ea': ['b\u2066', 'c\u200d', '\u{e0061}', 'd\n\x7f\x9b2J'] };
  expect(jsonText(value)).not.toMatch(/[\u202e\u2066\u{e0061}\x7f-\x9f]/u);
  expect(jsonText(value)).toContain('\\u202ea');
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

test('times are shown in UTC, to the second', () => {
  expect(time('2026-01-02T03:04:05.678Z')).toBe('2026-01-02 03:04:05Z');
  expect(time(undefined)).toBe('-');
});

test('time spans have their largest unit and the next one', () => {
  const spans = ['0 s', '0 s', '5 s', '12 min 5 s', '1 h', '3 d 4 h'];
  expect([0, 999, 5_000, 725_000, 3_600_000, 273_600_000].map(formatSpan)).toEqual(spans);
});

test('sizes and counts are in words', () => {
  expect([0, 950, 1_200_000].map(formatBytes)).toEqual(['0 bytes', '950 bytes', '1.2 MB']);
  expect([some(1, 'order'), some(0, 'order')]).toEqual(['1 order', '0 orders']);
});
