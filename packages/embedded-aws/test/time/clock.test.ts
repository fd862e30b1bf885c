import { expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../time/clock.ts';

const DAY = 24 * 60 * 60 * 1000;

it('the clock of the machine waits longer than the 24.8 days that Node timers keep, unless the wait is cleared', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = new SystemClock();
  const [kept, cleared] = [vi.fn(), vi.fn()];
  clock.setTimeout(kept, 60 * DAY);
  const handle = clock.setTimeout(cleared, 60 * DAY);
  vi.advanceTimersByTime(30 * DAY);
  clock.clearTimeout(handle);
  vi.advanceTimersByTime(30 * DAY - 1);
  expect(kept).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(kept).toHaveBeenCalledOnce();
  expect(cleared).not.toHaveBeenCalled();
});
