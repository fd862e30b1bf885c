import { type CallFacts, type LoggedFacts, loggable, OutcomeUnknown, rebuilt, Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { LONGEST_SLEEP_SECONDS, LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../time.ts';

/** Seconds. A step that is put off costs a few transitions, even if the token endpoint asks for a second. */
const SHORTEST_TOKEN_WAIT = 60;

export interface Patience {
  /** The subject of the call in messages: `Order order-10045`. Contains no personal data. */
  subject: string;
  /** The service, as messages name it. */
  service: string;
  /** The recorded time until which the service asked us to back off. */
  throttledUntil: string | undefined;
  /** Records such a time for all later calls. */
  record(throttledUntil: string): Promise<void>;
  /** Whether the state machine waits until that time and runs the step again. By default the step fails. */
  isPostponable?(throttledUntil: string): boolean;
}

/**
 * Parses `Retry-After`, a number of seconds or an HTTP date (RFC 9110, 10.2.3), to seconds. Other values count as absent, and so does a number
 * that is too large, such as the seconds since 1970.
 * @param sentAt the answer's `Date` (RFC 9110, 6.6.1), from which a date counts: the service's clock may be wrong.
 */
export function retryAfterSeconds(header = '', sentAt?: string): number | undefined {
  const text = header.trim();
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (dateOf(text) - (dateOf(sentAt) || Date.now())) / 1000;
  return seconds <= LONGEST_WAIT_SECONDS ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** `Date.parse` also reads numbers and words as dates. An HTTP date begins with the day of the week; some services send ISO 8601. */
function dateOf(text = ''): number {
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun|\d{4}-\d\d-\d\dT)/.test(text);
  // The oldest form has no zone (RFC 9110, 5.6.7).
  return isDate ? Date.parse(/\d{4}$/.test(text) ? `${text} GMT` : text) : Number.NaN;
}

/**
 * Makes a call and obeys `Retry-After` (RFC 9110, 10.2.3): records it for all later calls. The state machine waits, not the function:
 * `postponedUntil` of the error says until when.
 * @throws Throttled, and what `call` throws.
 */
export async function callWithPatience<Result>(patience: Patience, call: () => Promise<Result>): Promise<Result> {
  refuseUntil(patience);
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Throttled || error instanceof OutcomeUnknown)) throw error;
    const { tokenWaitSeconds } = error.call;
    if (error instanceof Throttled && tokenWaitSeconds !== undefined) {
      const until = timeIn(Math.min(Math.max(tokenWaitSeconds, SHORTEST_TOKEN_WAIT), LONGEST_SLEEP_SECONDS));
      throw rebuilt(Throttled, error.message, error, postponedTo(until, patience));
    }
    if (error.call.retryAfterSeconds === undefined) throw error;
    const throttledUntil = await recordThrottling(patience, error.call.retryAfterSeconds, loggable(error.call));
    if (error instanceof OutcomeUnknown || throttledUntil === undefined) throw error;
    throw rebuilt(Throttled, error.message, error, postponedTo(throttledUntil, patience));
  }
}

/** @throws Throttled while the service asks us to back off. */
export function refuseUntil(patience: Omit<Patience, 'record'>): void {
  const { subject, service, throttledUntil } = patience;
  if (throttledUntil === undefined || secondsUntil(throttledUntil) === 0) return;
  const call = postponedTo(throttledUntil, patience);
  const tooLong = 'The stage does not wait that long (outagePatienceHours).';
  const next = patience.isPostponable && !call.postponedUntil ? tooLong : 'The state machine tries again.';
  const what = `calls to ${service} wait until ${throttledUntil}, because it asked for that or failed`;
  throw new Throttled(`${subject}: ${what}. Nothing was sent. ${next}`, { call });
}

const postponedTo = (throttledUntil: string, { isPostponable }: Pick<Patience, 'isPostponable'>): CallFacts =>
  isPostponable?.(throttledUntil) ? { postponedUntil: throttledUntil } : {};

/** Returns the recorded time; undefined if it could not be recorded. */
async function recordThrottling({ record }: Patience, seconds: number, call: LoggedFacts): Promise<string | undefined> {
  const throttledUntil = timeIn(seconds);
  try {
    await record(throttledUntil);
    logger.warn('A service asked us to back off', { ...call, throttledUntil });
    return throttledUntil;
  } catch (error) {
    // The step must fail with the call's own error. Without the record, the state machine just retries.
    const { name } = error as Error;
    logger.error('A service asked us to back off, but that could not be recorded', { ...call, error: name });
    return undefined;
  }
}
