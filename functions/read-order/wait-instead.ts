import { loggable, Throttled, type UnexpectedResponse } from '../../core/errors.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import type { OrderToCallFor } from '../../core/order/order-record.ts';
import { heldUntil } from '../../core/order/stage-pause.ts';
import { postpone } from '../../core/order/throttling.ts';
import { addEvent } from '../../core/order/timeline.ts';
import { logger, stageAnswer } from '../../core/people/operator-log.ts';
import { type NextRead, notReadBefore, recordNextRead, secondsToWait } from '../../core/reading/next-read.ts';
import { pollSettings, readSettings } from '../../core/settings.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../../core/time.ts';
import { type ReadOrderInput, type ReadOrderOutput, type Wait, waitOutput } from './cursor.ts';

/**
 * Records a wait that is longer than the recorded one, even if the read brings nothing else that is new: the next execution
 * uses the recorded wait. A very long wait is added to the timeline, too.
 */
export async function recordLongerWait<Item extends OrderItem>(record: Item, nextRead: NextRead): Promise<Item> {
  const { pollAfterSeconds, nextReadAt } = nextRead;
  const isLong = pollAfterSeconds > pollSettings.longSeconds;
  const isLonger = record.pollAfterSeconds !== undefined && pollAfterSeconds > record.pollAfterSeconds;
  if (!isLong && !isLonger) return record;
  await recordNextRead(record.orderRef, nextRead);
  if (isLong) await addEvent(record.orderRef, 'The order service asks for a long wait', { nextReadAt });
  return { ...record, nextReadAt, pollAfterSeconds };
}

/**
 * The remaining wait if it is too early to read the order, for instance because a step has read it in the meantime. If the
 * recorded time is the one that the last wait was set for, that wait is over, whatever the clock says. Only a wait for people
 * may end before that time.
 */
export function remainingWait(record: OrderItem, cursor: ReadOrderInput): Wait | undefined {
  const nextReadAt = notReadBefore(record);
  const pollAfterSeconds = secondsUntil(nextReadAt);
  const isOver = nextReadAt === cursor.nextReadAt && !cursor.known?.waitedForPeople;
  if (nextReadAt === undefined || isOver || pollAfterSeconds === 0) return undefined;
  return { pollAfterSeconds, nextReadAt };
}

/**
 * The wait while the stage's pause holds the order; undefined if the order may be read. After a wait for people it is the usual
 * one, because it follows when they have ended the next one. The cursor's `nextReadAt` stays, so that afterwards the order is
 * not read too early.
 */
export function heldWait(record: OrderToCallFor, { known, nextReadAt }: ReadOrderInput): Wait | undefined {
  const until = heldUntil(record.pause, record);
  if (until === undefined) return undefined;
  const isForPeople = record.waitingFor === 'signatures' || record.waitingFor === 'decision';
  const usual = known?.waitedForPeople && isForPeople ? record.pollAfterSeconds : undefined;
  return { pollAfterSeconds: usual ?? secondsUntil(until), nextReadAt };
}

/** The wait after a throttled read with `Retry-After`. Any other error is thrown again. */
export async function waitForThrottled(record: OrderItem, error: unknown): Promise<Wait> {
  if (!(error instanceof Throttled) || error.call.retryAfterSeconds === undefined) throw error;
  const least = record.pollAfterSeconds ?? pollSettings.minimumSeconds;
  const seconds = Math.min(Math.max(error.call.retryAfterSeconds, least), LONGEST_WAIT_SECONDS);
  const nextReadAt = timeIn(seconds);
  await postpone(record.orderRef, 'nextReadAt', nextReadAt);
  logger.warn('The order service asked us to read later', { ...loggable(error.call), nextReadAt });
  return { pollAfterSeconds: seconds, nextReadAt };
}

/**
 * Stages an unusable answer for the operator, and waits to read again: the cause may be temporary. The wait is the usual one,
 * or a longer one if the answer asks for it.
 * @throws UnexpectedResponse if as many answers in a row were unusable as the stage allows.
 */
export async function waitForUsable(
  record: OrderItem,
  cursor: ReadOrderInput,
  error: UnexpectedResponse,
): Promise<ReadOrderOutput> {
  const usual = record.pollAfterSeconds ?? pollSettings.defaultSeconds;
  const long = pollSettings.longSeconds;
  const { seconds } = secondsToWait(error.call.pollAfterSeconds, { minimum: usual, fallback: usual, long });
  const nextRead = { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds) };
  await postpone(record.orderRef, 'nextReadAt', nextRead.nextReadAt);
  const unusable = (cursor.known?.unusable ?? 0) + 1;
  if (unusable >= readSettings.unusableReadsLimit) throw error;
  logger.warn(`${error.message} The order is read again.`, { ...loggable(error.call), unusable });
  await stageAnswer(record.orderRef, error);
  const output = waitOutput(record, cursor, nextRead);
  return { ...output, known: { ...output.known, unusable } };
}
