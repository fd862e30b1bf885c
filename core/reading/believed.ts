import type { Repeats } from '../order/order-item.ts';
import type { ReadingRules } from './rules.ts';

/**
 * Whether to believe a read of a status that was already handled. The read may be stale, so it is believed only after several
 * such reads in a row over a settling time. Every decision that rests on "nothing has changed" uses this function.
 * docs/architecture.md, "When a read is believed", has the whole rule.
 * @param repeats the reads before this one.
 * @param now milliseconds since the epoch.
 */
export function isBelieved(
  repeats: Repeats | undefined,
  { repeatsLimit, settlingSeconds }: Pick<ReadingRules, 'repeatsLimit' | 'settlingSeconds'>,
  now: number,
): boolean {
  if (!repeats || repeats.reads < repeatsLimit) return false;
  return now - Date.parse(repeats.since) >= settlingSeconds * 1000;
}

export function oneMore(repeats: Repeats | undefined, now: number): Repeats {
  return { reads: (repeats?.reads ?? 0) + 1, since: repeats?.since ?? new Date(now).toISOString() };
}

/**
 * The seconds until the next read while reads are counted: at least a quarter of the time that they already span. So a long settling time
 * needs few reads and lasts at most a quarter longer.
 */
export function settlingWait(seconds: number, repeats: Repeats | undefined, now: number): number {
  return Math.max(seconds, repeats ? Math.floor((now - Date.parse(repeats.since)) / 4_000) : 0);
}
