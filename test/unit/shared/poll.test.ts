import { expect, test } from 'vitest';
import { clampPollAfterSeconds } from '../../../functions/shared/poll.ts';

const range = { minimum: 5, maximum: 3600, fallback: 30 };

test('an interval inside the range is taken as it is', () => {
  expect(clampPollAfterSeconds(5, range)).toEqual({ seconds: 5 });
  expect(clampPollAfterSeconds(3600, range)).toEqual({ seconds: 3600 });
});

test.each([
  ['missing', undefined, 30],
  ['null', null, 30],
  ['negative', -1, 30],
  ['not finite', Number.POSITIVE_INFINITY, 30],
  ['words', 'soon', 30],
  ['empty string', ' ', 30],
  ['a list', [7], 30],
  ['zero', 0, 5],
  ['absurd', 1e12, 3600],
  ['a numeric string', '60', 60],
  ['a fraction', 6.2, 7],
])('%s is clamped and remarked on', (_name, sent, seconds) => {
  const clamped = clampPollAfterSeconds(sent, range);
  expect(clamped.seconds).toBe(seconds);
  expect(clamped.remark).toContain(`${seconds} s taken`);
});

test('a remark never repeats a text that the service sent', () => {
  expect(clampPollAfterSeconds('Ivan Ivanov', range).remark).not.toContain('Ivan');
});
