import { UnsupportedError } from '../protocol/errors.ts';

/** The first time of a schedule at or after `from`, or undefined if there is none. Milliseconds since the epoch. */
export type Occurrences = (from: number) => number | undefined;

const MINUTE = 60_000;
const UNITS: Record<string, number> = { minute: MINUTE, hour: 60 * MINUTE, day: 24 * 60 * MINUTE };

/** The limits of a rate: `begin` is the start date, or the time when schedules start. */
export interface Bounds {
  begin: number;
  end?: number;
}

/**
 * Reads `rate(<number> minutes | hours | days)`, which counts from `begin`, and `at(yyyy-mm-ddThh:mm:ss)` in UTC, which has no
 * limits. Throws an UnsupportedError for any other expression, such as cron.
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
  throw new UnsupportedError(`The embedded AWS does not support the schedule ${expression}, only rate(…) and at(…).`);
}

function intervalOf(expression: string): number | undefined {
  const [, count = '', unit = '', plural = ''] = /^rate\(([1-9]\d*) (minute|hour|day)(s?)\)$/.exec(expression) ?? [];
  const milliseconds = UNITS[unit];
  if (milliseconds === undefined) return undefined;
  // AWS refuses `rate(1 minutes)`.
  if ((count === '1') !== (plural === '')) {
    throw new UnsupportedError(`${expression}: the unit must be singular for 1 and plural for any other number.`);
  }
  return Number(count) * milliseconds;
}

function onceAt(expression: string): number | undefined {
  const text = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression)?.[1];
  return text === undefined ? undefined : Date.parse(`${text}Z`);
}
