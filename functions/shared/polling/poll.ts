import { LONGEST_WAIT_SECONDS } from '../time.ts';

/** The stage's limits for `pollAfterSeconds`, in seconds. The specification (8.5) does not show its range. */
export interface PollRange {
  minimum: number;
  /** Used if the service sends no usable value. */
  fallback: number;
  /** A longer wait is obeyed, but logged. */
  long: number;
}

/**
 * The seconds to wait before the next read: the service's value, rounded up, and at least the minimum. `remark` describes an
 * unusual value for the log. No value fails an order.
 */
export function secondsToWait(
  sent: unknown,
  { minimum, fallback, long }: PollRange,
): { seconds: number; remark?: string } {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) {
    return { seconds: fallback, remark: `pollAfterSeconds is ${kindOf(sent)}; waiting ${fallback} s` };
  }
  const seconds = Math.min(Math.max(Math.ceil(number), minimum), LONGEST_WAIT_SECONDS);
  return seconds === sent && seconds <= long
    ? { seconds }
    : { seconds, remark: `pollAfterSeconds is ${kindOf(sent)}; waiting ${seconds} s` };
}

function kindOf(sent: unknown): string {
  if (sent === undefined) return 'missing';
  if (typeof sent === 'string') return 'a string';
  return typeof sent === 'number' ? `${sent}` : 'not a number';
}
