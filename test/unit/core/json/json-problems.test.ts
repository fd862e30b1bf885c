import { expect, test } from 'vitest';
import { parseJson } from '../../../../core/json/json-problems.ts';

/** Linear work takes milliseconds; quadratic work takes longer than a test may. */
test.each([
  ['cut inside a string full of escaped quotes', `{"note":"${'\\"'.repeat(100_000)}`],
  ['cut inside a string full of backslashes', `{"note":"${'\\'.repeat(200_001)}`],
  ['of quotes alone', '"'.repeat(200_001)],
  ['of opening brackets only', '['.repeat(200_000)],
  ['of brackets inside a string that never ends', `"${'[{'.repeat(100_000)}`],
])('JSON %s is refused in linear time', (_name, text) => {
  const parsed = parseJson('decision.json', Buffer.from(text));
  expect(parsed).toMatchObject({ problem: { path: '$' } });
});

test.each([
  [100, true, '['.repeat(100) + ']'.repeat(100)],
  [101, false, '['.repeat(101) + ']'.repeat(101)],
  [2, true, `{"a":"${'['.repeat(101)}","b":[]}`],
  [2, true, `{"a\\"${'['.repeat(101)}":["\\\\"]}`],
  [102, false, `{"\\\\":${'['.repeat(101)}${']'.repeat(101)}}`],
])('JSON with %i levels, not counting brackets in strings, is accepted: %s', (_levels, isAccepted, text) => {
  expect('value' in parseJson('order.json', Buffer.from(text))).toBe(isAccepted);
});
