/** The stage's range for `pollAfterSeconds` (specification, 8.5: not shown). Whole seconds. */
export interface PollRange {
  minimum: number;
  maximum: number;
  /** Taken where the service sends nothing usable. */
  fallback: number;
}

/**
 * The seconds to wait before the next read: what the service sent, as a whole number inside the stage's range. `remark`
 * says what was wrong with it, for the log; a poll interval is never a reason to fail an order.
 */
export function clampPollAfterSeconds(sent: unknown, range: PollRange): { seconds: number; remark?: string } {
  const number = typeof sent === 'string' && sent.trim() !== '' ? Number(sent) : sent;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0) {
    return { seconds: range.fallback, remark: `pollAfterSeconds is ${kindOf(sent)}: ${range.fallback} s taken` };
  }
  const seconds = Math.min(Math.max(Math.ceil(number), range.minimum), range.maximum);
  return seconds === sent
    ? { seconds }
    : { seconds, remark: `pollAfterSeconds is ${kindOf(sent)}: ${seconds} s taken` };
}

function kindOf(sent: unknown): string {
  if (sent === undefined) return 'missing';
  if (typeof sent === 'string') return 'a string';
  return typeof sent === 'number' ? `${sent}` : 'no number';
}
