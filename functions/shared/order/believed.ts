import { environmentNumber } from '../environment.ts';

/** Reads in a row that brought a status which was answered already. */
export interface Repeats {
  reads: number;
  /** When the first of them was made. */
  since: string;
}

/**
 * When a read is believed, which may be stale. A status that differs from the one before is believed at once. A status that was answered
 * already, whatever was read in between, is believed only after it was read several times in a row over a settling time: nothing has
 * changed, or the service asks once more. Every decision that rests on "nothing has changed" asks here.
 * @param repeats the reads before this one.
 */
export function isBelieved(repeats: Repeats | undefined): boolean {
  if (!repeats || repeats.reads < environmentNumber('REPEATS_LIMIT')) return false;
  return Date.now() - Date.parse(repeats.since) >= environmentNumber('SETTLING_SECONDS') * 1000;
}

/** One more read of that kind. */
export function oneMore(repeats: Repeats | undefined): Repeats {
  return { reads: (repeats?.reads ?? 0) + 1, since: repeats?.since ?? new Date().toISOString() };
}
