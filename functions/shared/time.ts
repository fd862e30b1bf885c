/** The longest time that a Wait state can wait. Longer waits are cut to it. */
export const LONGEST_WAIT_SECONDS = 99_999_999;

/** Seconds by which the clocks of two machines differ at most (docs/decisions.md, 186). */
const CLOCKS_DIFFER_BY = 2;

/**
 * The time in `seconds` from now on every machine: no clock shows it earlier. Records hold times as ISO 8601 in UTC; later
 * times sort after earlier ones as text.
 */
export function timeIn(seconds: number): string {
  const longest = Math.min(seconds + CLOCKS_DIFFER_BY, LONGEST_WAIT_SECONDS);
  return new Date(Date.now() + longest * 1000).toISOString();
}

/** Seconds from now until `time`, rounded up; 0 if it has passed or is undefined. */
export function secondsUntil(time: string | undefined): number {
  return time === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 1000));
}

/** The latest of the times that are defined. */
export function latest(...times: (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
