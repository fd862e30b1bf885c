import { setTimeout as delay } from 'node:timers/promises';
import { environmentNumber } from './environment.ts';
import { Throttled } from './errors.ts';
import { logger } from './operator-log.ts';
import { changeOrder, type OrderItem } from './order-record.ts';
import { secondsUntil, timeIn } from './time.ts';

/** How often a call that may come back soon is made again in the same function. */
const REPEATS = 2;

/** An order as its record was read when the step began. */
export type PatientOrder = Pick<OrderItem, 'orderRef' | 'generation' | 'throttledUntil'>;

/**
 * Calls the order service as it wishes to be called (`Retry-After`; RFC 9110, 10.2.3). A short one is waited for here and the
 * call made again; a long one goes into the record, where every later step of the order finds it, and back to the state machine.
 * @param most how often it is made again here; 0 leaves every wait to the state machine.
 * @throws Throttled, and what `call` throws.
 */
export async function withPatience<Result>(
  order: PatientOrder,
  call: () => Promise<Result>,
  most = REPEATS,
): Promise<Result> {
  refuseWhileThrottled(order);
  const begun = performance.now();
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Throttled) || error.retryAfterSeconds === undefined) throw error;
      const seconds = Math.max(1, error.retryAfterSeconds);
      if (repeats === most || !isShort(seconds, begun)) {
        await recordThrottling(order, seconds);
        throw error;
      }
      await delay(seconds * 1000);
    }
  }
}

/** @throws Throttled as long as the order service wants to be left alone. Nobody is called. */
export function refuseWhileThrottled({ orderRef, throttledUntil }: PatientOrder): void {
  if (secondsUntil(throttledUntil) === 0) return;
  throw new Throttled(
    `Order ${orderRef}: the order service is not to be called before ${throttledUntil}, as it asked. Nothing was sent; the state machine tries again.`,
  );
}

/** Short enough to be waited for, and for the call to end before its function does (infra/timeouts.ts). */
function isShort(seconds: number, begun: number): boolean {
  const over = performance.now() - begun + seconds * 1000;
  return (
    seconds <= environmentNumber('RETRY_AFTER_PATIENCE_SECONDS') && over <= environmentNumber('PATIENCE_MILLISECONDS')
  );
}

async function recordThrottling(order: PatientOrder, seconds: number): Promise<void> {
  const throttledUntil = timeIn(Math.min(seconds, environmentNumber('POLL_MAXIMUM_SECONDS')));
  try {
    await changeOrder(order, { throttledUntil });
    logger.warn('The order service wants to be left alone', { throttledUntil });
  } catch (error) {
    // That nothing was done is what the ledger and the state machine must hear; without the time, they come back by themselves.
    logger.error('Until when the order service wants to be left alone could not be recorded', {
      error: (error as Error).name,
    });
  }
}
