import { setTimeout as delay } from 'node:timers/promises';
import { environmentNumber } from '../environment.ts';
import { OutcomeUnknown, Throttled } from '../errors.ts';
import { logger } from '../log.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../time.ts';

/** How often a call that may come back soon is made again in the same function. */
const REPEATS = 2;

export interface Patience {
  /** How sentences name what the call is for: `Order order-10045`. Nothing personal. */
  subject: string;
  /** How sentences name the service. */
  service: string;
  /** Until when the service wants to be left alone, as it was recorded before. */
  throttledUntil: string | undefined;
  /** Records such a time, for every later call. */
  record(throttledUntil: string): Promise<void>;
  /** Makes sure after a pause that the call is still ours to make. */
  checkAgain?(): Promise<unknown>;
}

/**
 * Calls a service as it wishes to be called (`Retry-After`; RFC 9110, 10.2.3). A short one is waited for here and the
 * call made again; a long one is recorded, where every later call finds it, and goes back to the state machine. So does one
 * after a call that may have been done, which is not for us to repeat.
 * @param most how often it is made again here; 0 leaves every wait to the state machine.
 * @throws Throttled, and what `call` and `checkAgain` throw.
 */
export async function callWithPatience<Result>(
  patience: Patience,
  call: () => Promise<Result>,
  most = REPEATS,
): Promise<Result> {
  refuseUntil(patience);
  const begun = performance.now();
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Throttled || error instanceof OutcomeUnknown)) throw error;
      if (error.retryAfterSeconds === undefined) throw error;
      const seconds = Math.max(1, error.retryAfterSeconds);
      if (error instanceof OutcomeUnknown || repeats === most || !isShort(seconds, begun)) {
        await recordThrottling(patience, seconds);
        throw error;
      }
      await delay(seconds * 1000);
      await patience.checkAgain?.();
    }
  }
}

/** @throws Throttled as long as the service wants to be left alone. Nobody is called. */
export function refuseUntil({
  subject,
  service,
  throttledUntil,
}: Pick<Patience, 'subject' | 'service' | 'throttledUntil'>): void {
  if (secondsUntil(throttledUntil) === 0) return;
  throw new Throttled(
    `${subject}: ${service} is not to be called before ${throttledUntil}, as it asked. Nothing was sent; the state machine tries again.`,
  );
}

/** Short enough to be waited for, and for the call to end before its function does (infra/timeouts.ts). */
function isShort(seconds: number, begun: number): boolean {
  const over = performance.now() - begun + seconds * 1000;
  return (
    seconds <= environmentNumber('RETRY_AFTER_PATIENCE_SECONDS') && over <= environmentNumber('PATIENCE_MILLISECONDS')
  );
}

async function recordThrottling({ service, record }: Patience, seconds: number): Promise<void> {
  const throttledUntil = timeIn(Math.min(seconds, LONGEST_WAIT_SECONDS));
  try {
    await record(throttledUntil);
    logger.warn(`${sentence(service)} wants to be left alone`, { throttledUntil });
  } catch (error) {
    // What the call's error says is what the ledger and the state machine must hear; without the time, they come back by themselves.
    logger.error(`Until when ${service} wants to be left alone could not be recorded`, {
      error: (error as Error).name,
    });
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
