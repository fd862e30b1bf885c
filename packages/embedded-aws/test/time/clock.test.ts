import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock, VirtualClock } from '../../time/clock.ts';

const DAY = 24 * 60 * 60 * 1000;

describe('VirtualClock', () => {
  it('fires timers in the sequence of their times, each at its own time', () => {
    const clock = new VirtualClock(1000);
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${clock.now()}`);
    clock.setTimeout(note('second'), 20);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('also second'), 20);
    clock.setTimeout(note('too late'), 31);
    clock.advanceTo(1030);
    expect(fired).toEqual(['first at 1010', 'second at 1020', 'also second at 1020']);
    expect([clock.now(), clock.nextTimerAt()]).toEqual([1030, 1031]);
  });

  it('fires a timer that another timer sets within the same advance', () => {
    const clock = new VirtualClock(0);
    const fired: number[] = [];
    clock.setTimeout(() => clock.setTimeout(() => fired.push(clock.now()), 5), 5);
    clock.advanceTo(10);
    expect(fired).toEqual([10]);
  });

  it('forgets a cleared timer', () => {
    const clock = new VirtualClock(0);
    const callback = vi.fn();
    clock.clearTimeout(clock.setTimeout(callback, 5));
    expect(clock.nextTimerAt()).toBeUndefined();
    clock.advanceTo(10);
    expect(callback).not.toHaveBeenCalled();
  });

  it('never goes backwards', () => {
    expect(() => new VirtualClock(10).advanceTo(9)).toThrow('cannot go back to 9');
  });
});

describe('SystemClock', () => {
  it('waits longer than the 24.8 days that Node timers keep, unless the wait is cleared', () => {
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
});
