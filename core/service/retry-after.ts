import { setTimeout as delay } from 'node:timers/promises';
import { type CallFacts, type LoggedFacts, loggable, OutcomeUnknown, rebuilt, Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { count } from '../metrics.ts';
import { callSettings } from '../settings.ts';
import { secondsUntil, timeIn } from '../time.ts';

/** How often a function repeats a call after a short `Retry-After`. */
const REPEATS = 2;

export interface Patience {
  /** What the call is for, as messages name it: `Order order-10045`. Nothing personal. */
  subject: string;
  /** The service, as messages name it. */
  service: string;
  /** The recorded time until which the service asked us to back off. */
  throttledUntil: string | undefined;
  /** Records such a time for all later calls. */
  record(throttledUntil: string): Promise<void>;
  /** Whether the state machine waits until that time and runs the step again. By default the step fails. */
  isPostponable?(throttledUntil: string): boolean;
  /** Runs after a wait. Throws if the call must not be made any more. */
  checkAgain?(): Promise<unknown>;
}

/**
 * Makes a call and obeys `Retry-After` (RFC 9110, 10.2.3). After a short one, waits and repeats the call. A long one is
 * recorded for all later calls, and the state machine waits: `postponedUntil` of the error says until when. A call that may
 * have been done is not repeated here, so even its short `Retry-After` is recorded.
 * @throws Throttled, and what `call` and `checkAgain` throw.
 */
export async function callWithPatience<Result>(patience: Patience, call: () => Promise<Result>): Promise<Result> {
  refuseUntil(patience);
  const begun = performance.now();
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Throttled || error instanceof OutcomeUnknown)) throw error;
      if (error.call.retryAfterSeconds === undefined) throw error;
      const seconds = Math.max(1, error.call.retryAfterSeconds);
      if (error instanceof OutcomeUnknown || repeats === REPEATS || !isShort(seconds, begun)) {
        const throttledUntil = await recordThrottling(patience, seconds, loggable(error.call));
        if (error instanceof OutcomeUnknown || throttledUntil === undefined) throw error;
        throw rebuilt(Throttled, error.message, error, postponedTo(throttledUntil, patience));
      }
      await delay(seconds * 1000);
      await patience.checkAgain?.();
      count('CallsSentAgain', { cause: 'RetryAfter' });
    }
  }
}

/** @throws Throttled while the service asks us to back off. */
export function refuseUntil(patience: Omit<Patience, 'record'>): void {
  const { subject, service, throttledUntil } = patience;
  if (throttledUntil === undefined || secondsUntil(throttledUntil) === 0) return;
  const call = postponedTo(throttledUntil, patience);
  const tooLong = 'The stage does not wait that long (outagePatienceHours).';
  const next = patience.isPostponable && !call.postponedUntil ? tooLong : 'The state machine tries again.';
  const what = `${service} asked us to back off until ${throttledUntil}`;
  throw new Throttled(`${subject}: ${what}. Nothing was sent. ${next}`, { call });
}

function postponedTo(throttledUntil: string, { isPostponable }: Pick<Patience, 'isPostponable'>): CallFacts {
  return isPostponable?.(throttledUntil) ? { postponedUntil: throttledUntil } : {};
}

/** Whether the function may wait that long, and can still make the call before its own timeout (infra/timeouts.ts). */
function isShort(seconds: number, begun: number): boolean {
  const over = performance.now() - begun + seconds * 1000;
  return seconds <= callSettings.retryAfterPatienceSeconds && over <= callSettings.patienceMilliseconds;
}

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
