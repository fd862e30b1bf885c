import { afterEach, expect, test, vi } from 'vitest';
import { grownWait, LONGEST_GROWN_WAIT_SECONDS, secondsToWait } from '../../../../core/reading/poll.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeAfter, timeIn } from '../../../../core/time.ts';

const range = { minimumSeconds: 5, defaultSeconds: 30, longSeconds: 86_400 };

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

test('a wait grows with the time in a status: a share of it, at least the wait, and at most a day; a service may ask for more', () => {
  const [day, month] = [86_400, 30 * 86_400];
  const grown = (seconds: number, inStatus: number) => grownWait(seconds, inStatus, 0.05);
  expect([grown(5, 0), grown(60, 1_000), grown(5, 1_000), grown(5, 1_019)]).toEqual([5, 60, 50, 50]);
  expect([grown(5, month), grown(2 * day, month)]).toEqual([LONGEST_GROWN_WAIT_SECONDS, 2 * day]);
  // A clock may go back.
  expect(grown(5, -1_000)).toBe(5);
  for (const inStatus of [0, 1_000, 365 * day]) expect(grownWait(5, inStatus, 0)).toBe(5);
});

afterEach(() => {
  vi.useRealTimers();
});

test('the rest of a wait is rounded up to whole seconds', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  expect(secondsUntil(undefined)).toBe(0);
  expect(secondsUntil('2020-01-01T00:00:00.000Z')).toBe(0);
  expect(secondsUntil(new Date(Date.now() + 3_599_500).toISOString())).toBe(3_600);
});

test('a recorded wait has not passed early on a machine whose clock is two seconds ahead', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const time = timeIn(10);
  vi.setSystemTime(Date.now() + 2_000);
  expect(secondsUntil(time)).toBe(10);
});

test('a recorded wait is no longer than a Wait state can wait', () => {
  expect(secondsUntil(timeIn(LONGEST_WAIT_SECONDS))).toBe(LONGEST_WAIT_SECONDS);
});

test('a change is dated after one from a clock that is seconds ahead, and corrects one that is hours ahead', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T00:00:00.000Z') });
  expect(timeAfter('2025-12-31T23:00:00.000Z')).toBe('2026-01-01T00:00:00.000Z');
  expect(timeAfter('2026-01-01T00:00:45.000Z')).toBe('2026-01-01T00:00:45.001Z');
  expect(timeAfter('2026-01-01T02:00:00.000Z')).toBe('2026-01-01T00:00:00.000Z');
});
