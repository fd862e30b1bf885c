import { afterEach, expect, test, vi } from 'vitest';
import { notReadBefore } from '../../../../core/reading/next-read.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../../../../core/time.ts';

const earlier = '2026-11-20T10:00:00.000Z';
const later = '2026-11-20T10:00:01.000Z';

afterEach(() => {
  vi.useRealTimers();
});

test('the order is not read before the later of the two times', () => {
  expect(notReadBefore({})).toBeUndefined();
  expect(notReadBefore({ nextReadAt: earlier })).toBe(earlier);
  expect(notReadBefore({ nextReadAt: earlier, throttledUntil: later })).toBe(later);
  expect(notReadBefore({ nextReadAt: later, throttledUntil: earlier })).toBe(later);
});

test('the rest of a wait is rounded up to whole seconds', () => {
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
