import { LONGEST_WAIT_SECONDS } from '../time.ts';

/** What the stage makes of `pollAfterSeconds` (specification, 8.5: its range is not shown). Whole seconds. */
export interface PollRange {
  minimum: number;
  /** Taken where the service sends nothing usable. */
  fallback: number;
  /** A longer wait is kept to as well, but remarked on. */
  long: number;
}

/**
 * The seconds to wait before the next read: what the service sent, as a whole number, never less: a wait is only ever raised. `remark`
 * says what is unusual about it, for the log; a poll interval is never a reason to fail an order.
 */
export function secondsToWait(
  sent: unknown,
  { minimum, fallback, long }: PollRange,
): { seconds: number; remark?: string } {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof number !== 'number' || Number.isNaN(number) || number < 0) {
    return { seconds: fallback, remark: `pollAfterSeconds is ${kindOf(sent)}: ${fallback} s taken` };
  }
  const seconds = Math.min(Math.max(Math.ceil(number), minimum), LONGEST_WAIT_SECONDS);
  return seconds === sent && seconds <= long
    ? { seconds }
    : { seconds, remark: `pollAfterSeconds is ${kindOf(sent)}: ${seconds} s taken` };
}

function kindOf(sent: unknown): string {
  if (sent === undefined) return 'missing';
  if (typeof sent === 'string') return 'a string';
  return typeof sent === 'number' ? `${sent}` : 'no number';
}
