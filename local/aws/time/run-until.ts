import type { VirtualClock } from './clock.ts';

/** A year and a day: as long as a Standard workflow may run. */
const DEFAULT_LIMIT_MILLISECONDS = 366 * 24 * 60 * 60 * 1000;

export interface RunUntilOptions {
  /** How far virtual time may go on from now. */
  limitMilliseconds?: number;
}

/**
 * Lets virtual time pass, from timer to timer, until the condition holds. Throws an Error that tells where every
 * running execution stands when nothing is left that time could bring, or when the limit is passed.
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
    if (next === undefined) throw stuck('nothing is left that waits for a time', aws.describeRunning());
    if (next > limit) throw stuck(`${limitMilliseconds} ms of virtual time have passed`, aws.describeRunning());
    clock.advanceTo(next);
  }
}

function stuck(reason: string, running: string[]): Error {
  const positions = running.length > 0 ? running.map((line) => `\n- ${line}`).join('') : ' none';
  return new Error(`The condition does not hold, and ${reason}. Running executions:${positions}`);
}
