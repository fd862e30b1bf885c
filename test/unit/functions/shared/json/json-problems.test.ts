import { expect, test } from 'vitest';
import { parseJson } from '../../../../../functions/shared/json/json-problems.ts';

/** Seconds. Linear work takes milliseconds; quadratic work takes more than a minute. */
const BOUND = 5;

test.each([
  ['cut inside a string full of escaped quotes', `{"note":"${'\\"'.repeat(100_000)}`],
  ['cut inside a string full of backslashes', `{"note":"${'\\'.repeat(200_001)}`],
  ['of quotes alone', '"'.repeat(200_001)],
  ['of opening brackets alone', '['.repeat(200_000)],
  ['of brackets inside a string that never ends', `"${'[{'.repeat(100_000)}`],
])('a file %s is refused at once', (_name, text) => {
  const began = performance.now();
  const parsed = parseJson('decision.json', Buffer.from(text));
  expect((performance.now() - began) / 1000).toBeLessThan(BOUND);
  expect(parsed).toMatchObject({ problem: { path: '$' } });
});

test.each([
  [true, 100, '['.repeat(100) + ']'.repeat(100)],
  [false, 101, '['.repeat(101) + ']'.repeat(101)],
  [true, 2, `{"a":"${'['.repeat(101)}","b":[]}`],
  [true, 2, `{"a\\"${'['.repeat(101)}":["\\\\"]}`],
  [false, 102, `{"\\\\":${'['.repeat(101)}${']'.repeat(101)}}`],
])('taken is %s with %i levels: brackets inside strings do not count', (isTaken, _levels, text) => {
  expect('value' in parseJson('order.json', Buffer.from(text))).toBe(isTaken);
});
