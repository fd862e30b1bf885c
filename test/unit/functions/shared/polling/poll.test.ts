import { expect, test } from 'vitest';
import { secondsToWait } from '../../../../../functions/shared/polling/poll.ts';

const range = { minimum: 5, fallback: 30, long: 86_400 };

test('a valid pollAfterSeconds is used unchanged', () => {
  for (const seconds of [5, 3600, 3601, 86_400]) expect(secondsToWait(seconds, range)).toEqual({ seconds });
});

test.each([
  ['missing', undefined, 30],
  ['null', null, 30],
  ['negative', -1, 30],
  ['words', 'soon', 30],
  ['empty string', ' ', 30],
  ['a list', [7], 30],
  ['zero', 0, 5],
  ['a numeric string', '60', 60],
  ['a fraction', 6.2, 7],
  ['longer than a day', 86_401, 86_401],
  ['longer than a Wait state can wait', 1e12, 99_999_999],
  ['not finite', Number.POSITIVE_INFINITY, 99_999_999],
])('a pollAfterSeconds that is %s gets a remark and a wait that a Wait state can wait', (_name, sent, seconds) => {
  const wait = secondsToWait(sent, range);
  expect(wait.seconds).toBe(seconds);
  expect(wait.remark).toContain(`; waiting ${seconds} s`);
});

test('a remark on pollAfterSeconds never quotes text from the service', () => {
  expect(secondsToWait('Ivan Ivanov', range).remark).not.toContain('Ivan');
});
