import { expect, test } from 'vitest';
import { notReadBefore } from '../../../../../functions/shared/polling/next-read.ts';
import { secondsUntil, timeIn } from '../../../../../functions/shared/time.ts';

const earlier = '2026-11-20T10:00:00.000Z';
const later = '2026-11-20T10:00:01.000Z';

test('the order is not read before the later of the two times', () => {
  expect(notReadBefore({})).toBeUndefined();
  expect(notReadBefore({ nextReadAt: earlier })).toBe(earlier);
  expect(notReadBefore({ nextReadAt: earlier, throttledUntil: later })).toBe(later);
  expect(notReadBefore({ nextReadAt: later, throttledUntil: earlier })).toBe(later);
});

test('the rest of a wait is rounded up to whole seconds', () => {
  expect(secondsUntil(undefined)).toBe(0);
  expect(secondsUntil('2020-01-01T00:00:00.000Z')).toBe(0);
  expect(secondsUntil(timeIn(3_599.5))).toBe(3_600);
});
