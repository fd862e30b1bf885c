import { UnsupportedError } from '../protocol/errors.ts';

/** The first time of a schedule that is not before `from`; undefined when none is left. All in milliseconds since the epoch. */
export type Occurrences = (from: number) => number | undefined;

const MINUTE = 60_000;
const UNITS: Record<string, number> = { minute: MINUTE, hour: 60 * MINUTE, day: 24 * 60 * MINUTE };

/** What bounds a rate: where it begins to count (the start date, or else at once), and after when it is over. */
export interface Bounds {
  begin: number;
  end?: number;
}

/**
 * Reads `rate(<number> minutes | hours | days)`, which counts from `begin` on, and `at(yyyy-mm-ddThh:mm:ss)` in UTC, which
 * no bounds hold for.
 * Throws an UnsupportedError on any other expression: no cron expressions are played.
 */
export function occurrencesOf(expression: string, { begin, end = Number.POSITIVE_INFINITY }: Bounds): Occurrences {
  const interval = intervalOf(expression);
  if (interval !== undefined) {
    return (from) => {
      const next = begin + Math.max(0, Math.ceil((from - begin) / interval)) * interval;
      return next <= end ? next : undefined;
    };
  }
  const once = onceAt(expression);
  if (once !== undefined) return (from) => (from <= once ? once : undefined);
  throw new UnsupportedError(`The embedded AWS plays no schedule ${expression}, only rate(…) and at(…).`);
}

function intervalOf(expression: string): number | undefined {
  const [, count = '', unit = '', plural = ''] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const milliseconds = UNITS[unit];
  if (milliseconds === undefined) return undefined;
  // As in AWS, where `rate(1 minutes)` is refused.
  if ((count === '1') !== (plural === '')) {
    throw new UnsupportedError(`${expression}: a rate of 1 has its unit in the singular, any other in the plural.`);
  }
  return Number(count) * milliseconds;
}

function onceAt(expression: string): number | undefined {
  const text = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression)?.[1];
  return text === undefined ? undefined : Date.parse(`${text}Z`);
}
