import type { VirtualClock } from './clock.ts';

/** A year and a day: longer than a Standard workflow may run. */
const DEFAULT_LIMIT_MILLISECONDS = 366 * 24 * 60 * 60 * 1000;

export interface RunUntilOptions {
  /** How far virtual time may advance. */
  limitMilliseconds?: number;
}

/**
 * Advances virtual time from timer to timer until the condition holds. Throws an Error with the position of every running
 * execution if no timer is left, or at the limit.
 */
export async function runUntil(
  aws: { settle: () => Promise<void>; describeRunning: () => string[] },
  clock: VirtualClock,
  condition: () => boolean | Promise<boolean>,
  { limitMilliseconds = DEFAULT_LIMIT_MILLISECONDS }: RunUntilOptions = {},
): Promise<void> {
  const limit = clock.now() + limitMilliseconds;
  for (;;) {
    await aws.settle();
    if (await condition()) return;
    // The condition may have made requests of its own.
    await aws.settle();
    const next = clock.nextTimerAt();
    if (next === undefined) throw stuck('no timer is left', aws.describeRunning());
    if (next > limit) throw stuck(`${limitMilliseconds} ms of virtual time have passed`, aws.describeRunning());
    clock.advanceTo(next);
  }
}

function stuck(reason: string, running: string[]): Error {
  const positions = running.length > 0 ? running.map((line) => `\n- ${line}`).join('') : ' none';
  return new Error(`The condition does not hold, but ${reason}. Running executions:${positions}`);
}
