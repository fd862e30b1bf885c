import { MAY_HAVE_RUN, NOT_RUN } from '../aws/lambda-errors.ts';
import type { Resumption } from '../order/order-item.ts';
import { OUTAGES } from '../service/what-answers-prove.ts';
import { latest } from '../time.ts';

/** Errors after which an order continues automatically once the order service or AWS answers again. */
const HEALING = new Set([
  ...OUTAGES,
  ...NOT_RUN,
  ...MAY_HAVE_RUN,
  // A newer release has removed the function, and with it all its versions and the right to invoke them. Nothing was called.
  'Lambda.ResourceNotFoundException',
  'Lambda.AccessDeniedException',
  // DynamoDB and others, and S3. A deployment, such as one that adopts a restored table, took rights that functions of earlier releases need.
  'AccessDeniedException',
  'AccessDenied',
]);

const FIRST_PAUSE_MINUTES = 5;
const LONGEST_PAUSE_MINUTES = 60;
const MINUTE = 60_000;

export interface Ending {
  error: string;
  /** When it ended, in milliseconds since the epoch. */
  at: number;
  /** Whether no call can have been made. Then the order continues automatically after any error. */
  isUnsent?: boolean;
  /** Since when, and until when, the service throttles the order's calls with `Retry-After`. ISO 8601. */
  throttledSince?: string | undefined;
  throttledUntil?: string | undefined;
  /** When the stage was last resumed after a pause. No call was made before, so the patience counts from then. ISO 8601. */
  resumedAt?: string | undefined;
}

/**
 * When to start the order again after this end: after 5, 10, 20, 40 minutes, then every hour, for as long as the stage has patience. A
 * read that leaves nothing to send or to fetch ends an outage, so the next failure begins another one.
 * @param last the resumption of an outage that no read has ended.
 * @param patienceHours how long after the beginning of an outage the order is started again.
 * @returns undefined if a person must act: the error is not an outage, or it has lasted too long.
 */
export function resumptionAfter(
  { error, at, isUnsent, throttledSince, throttledUntil, resumedAt }: Ending,
  last: Resumption | undefined,
  patienceHours: number,
): Resumption | undefined {
  if (!HEALING.has(error) && !isUnsent) return undefined;
  const before = last && { ...last, since: latest(last.since, resumedAt) ?? last.since };
  const begun = throttledSince && latest(throttledSince, resumedAt);
  const same = before ?? { since: begun ?? new Date(at).toISOString(), tries: 0 };
  const pause = Math.min(FIRST_PAUSE_MINUTES * 2 ** same.tries, LONGEST_PAUSE_MINUTES) * MINUTE;
  // An earlier try would only fail again.
  const next = Math.max(at + pause, throttledUntil === undefined ? 0 : Date.parse(throttledUntil));
  if (next > Date.parse(same.since) + patienceHours * 60 * MINUTE) return undefined;
  return { since: same.since, tries: same.tries + 1, at: new Date(next).toISOString() };
}
