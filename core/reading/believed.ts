import type { Repeats } from '../order/order-item.ts';
import { readSettings } from '../settings.ts';

/**
 * Whether to believe a read of a status that was already handled. The read may be stale, so it is believed only after several
 * such reads in a row over a settling time. Every decision that rests on "nothing has changed" uses this function.
 * docs/architecture.md, "When a read is believed", has the whole rule.
 * @param repeats the reads before this one.
 */
export function isBelieved(repeats: Repeats | undefined): boolean {
  if (!repeats || repeats.reads < readSettings.repeatsLimit) return false;
  return Date.now() - Date.parse(repeats.since) >= readSettings.settlingSeconds * 1000;
}

/** Counts one more such read. */
export function oneMore(repeats: Repeats | undefined): Repeats {
  return { reads: (repeats?.reads ?? 0) + 1, since: repeats?.since ?? new Date().toISOString() };
}
