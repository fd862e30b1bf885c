/** The longest time that a Wait state can wait. Longer waits are cut to it. */
export const LONGEST_WAIT_SECONDS = 99_999_999;

/** After this time a recorded wait is compared with the record again, because a person may have ended it. */
export const LONGEST_SLEEP_SECONDS = 3_600;

/** Seconds by which the clocks of two machines differ at most (docs/decisions.md, "Recorded times have a margin of two seconds"). */
const CLOCKS_DIFFER_BY = 2;

/**
 * The time `seconds` from now, with a margin: no machine's clock reaches it earlier. Records hold times as ISO 8601 in UTC; later times
 * sort after earlier ones as text.
 */
export function timeIn(seconds: number, now = Date.now()): string {
  const longest = Math.min(seconds + CLOCKS_DIFFER_BY, LONGEST_WAIT_SECONDS);
  return new Date(now + longest * 1000).toISOString();
}

/** Milliseconds. A recorded time further ahead of this machine's clock is ignored. */
const AHEAD_AT_MOST = 60_000;

/**
 * Now, but after the `last` recorded time, which may come from a machine whose clock is ahead. A time that is far ahead comes from a wrong
 * clock: the next change corrects it.
 */
export function timeAfter(last: string): string {
  const now = Date.now();
  const next = Date.parse(last) + 1;
  return new Date(next > now && next - now <= AHEAD_AT_MOST ? next : now).toISOString();
}

export const monthOf = (time: string): string => time.slice(0, 7);

/** The months from that of a time until now, in UTC. No order ended before 2026. */
export function monthsSince(time: string): string[] {
  const months: string[] = [];
  const at = new Date(time < '2026' ? '2026-01' : monthOf(time));
  for (; at.getTime() <= Date.now(); at.setUTCMonth(at.getUTCMonth() + 1)) months.push(monthOf(at.toISOString()));
  return months;
}

/** Seconds from now until `time`, rounded up; 0 if it has passed or is undefined. */
export const secondsUntil = (time: string | undefined, now = Date.now()): number =>
  time === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(time) - now) / 1000));

export const latest = (...times: (string | undefined)[]): string | undefined =>
  times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
