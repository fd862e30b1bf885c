/** The most that a Wait state can wait. No wait that a service asks for is shortened below that. */
export const LONGEST_WAIT_SECONDS = 99_999_999;

/** Times as the order's record has them, ISO 8601 in UTC: of two, the later one is the greater text. */
export function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Whole seconds from now until `time`; 0 when it has passed or there is none. */
export function secondsUntil(time: string | undefined): number {
  return time === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 1000));
}

/** The latest of the times that are known. */
export function latest(...times: (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
