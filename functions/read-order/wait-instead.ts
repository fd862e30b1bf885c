import { environmentNumber } from '../shared/environment.ts';
import { Throttled, type UnexpectedResponse } from '../shared/errors.ts';
import { keepRefusal, logger } from '../shared/order/operator-log.ts';
import type { OrderItem } from '../shared/order/order-item.ts';
import { postpone } from '../shared/order/postpone.ts';
import { stageJson } from '../shared/order/staging.ts';
import { addEvent } from '../shared/order/timeline.ts';
import { type NextRead, notReadBefore, recordNextRead } from '../shared/polling/next-read.ts';
import { secondsToWait } from '../shared/polling/poll.ts';
import { LONGEST_WAIT_SECONDS, secondsUntil, timeIn } from '../shared/time.ts';
import { type ReadOrderInput, type ReadOrderOutput, type Wait, waitOutput } from './cursor.ts';

/**
 * A wait that is longer than the recorded one is recorded whatever else the read brings: the next execution goes by the record. One that is
 * longer than people expect is in the timeline too.
 */
export async function noteLongerWait<Noted extends OrderItem>(record: Noted, nextRead: NextRead): Promise<Noted> {
  const { pollAfterSeconds, nextReadAt } = nextRead;
  const isLong = pollAfterSeconds > environmentNumber('LONG_WAIT_SECONDS');
  const isLonger = record.pollAfterSeconds !== undefined && pollAfterSeconds > record.pollAfterSeconds;
  if (!isLong && !isLonger) return record;
  await recordNextRead(record.orderRef, nextRead);
  if (isLong) await addEvent(record.orderRef, 'The order service asks for a long wait', { nextReadAt });
  return { ...record, nextReadAt, pollAfterSeconds };
}

/**
 * The wait that is left where the order may not be read yet: a step has read it meanwhile, or was told to come back later. Where the
 * time is the one that the wait before this read was set for, it is over; no clock is asked, since those of AWS differ a little. A wait
 * for people was set for no such time.
 */
export function tooEarly(record: OrderItem, cursor: ReadOrderInput): Wait | undefined {
  const nextReadAt = notReadBefore(record);
  const pollAfterSeconds = secondsUntil(nextReadAt);
  const isOver = nextReadAt === cursor.nextReadAt && !cursor.known?.waitedForPeople;
  if (nextReadAt === undefined || isOver || pollAfterSeconds === 0) return undefined;
  return { pollAfterSeconds, nextReadAt };
}

/** A read that is throttled with a `Retry-After` has its next wait from there; any other failure is thrown on. */
export async function waitForThrottled(record: OrderItem, error: unknown): Promise<Wait> {
  if (!(error instanceof Throttled) || error.retryAfterSeconds === undefined) throw error;
  const least = record.pollAfterSeconds ?? environmentNumber('POLL_MINIMUM_SECONDS');
  const seconds = Math.min(Math.max(error.retryAfterSeconds, least), LONGEST_WAIT_SECONDS);
  const nextReadAt = timeIn(seconds);
  await postpone(record.orderRef, 'nextReadAt', nextReadAt);
  logger.warn('The order service wants to be read later', { nextReadAt });
  return { pollAfterSeconds: seconds, nextReadAt };
}

/**
 * An answer that can't be used is kept for the operator, and the order is read again: to read is safe, and what comes from a gateway or a
 * service that is being changed passes. Thrown on once as many reads in a row brought none that can be used as the stage allows. The wait
 * is the usual one, or a longer one that the answer asks for.
 */
export async function waitForUsable(
  record: OrderItem,
  cursor: ReadOrderInput,
  error: UnexpectedResponse,
): Promise<ReadOrderOutput> {
  const usual = record.pollAfterSeconds ?? environmentNumber('POLL_DEFAULT_SECONDS');
  const long = environmentNumber('LONG_WAIT_SECONDS');
  const { seconds } = secondsToWait(error.pollAfterSeconds, { minimum: usual, fallback: usual, long });
  const nextRead = { pollAfterSeconds: seconds, nextReadAt: timeIn(seconds) };
  await postpone(record.orderRef, 'nextReadAt', nextRead.nextReadAt);
  const unusable = (cursor.known?.unusable ?? 0) + 1;
  if (unusable >= environmentNumber('UNUSABLE_READS_LIMIT')) throw error;
  logger.warn(`${error.message} The order is read again.`, { unusable });
  await keepRefusal(error, (name, refusal) => stageJson(record.orderRef, name, refusal));
  const output = waitOutput(record, cursor, nextRead);
  return { ...output, known: { ...output.known, unusable } };
}
