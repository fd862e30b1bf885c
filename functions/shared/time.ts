/** Times as the order's record has them, ISO 8601 in UTC: of two, the later one is the greater text. */
export function timeIn(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString();
}

/** Whole seconds from now until `time`; 0 when it has passed or there is none. */
export function secondsUntil(time: string | undefined): number {
  return time === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(time) - Date.now()) / 1000));
}
