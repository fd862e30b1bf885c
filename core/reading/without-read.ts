import { readNotBefore } from '../order/order-item.ts';
import { heldUntil, type StagePause } from '../order/stage-pause.ts';
import { secondsOfWait } from '../order/waits.ts';
import { isToMove } from '../recovery/move.ts';
import { LONGEST_WAIT_SECONDS, latest, secondsUntil, timeIn } from '../time.ts';
import { isBelieved, oneMore, settlingWait } from './believed.ts';
import { type Next, outputOf, strangeBefore } from './output.ts';
import type { Answer, Plan, Read, View } from './plan.ts';
import { nextReadAfter } from './poll.ts';
import type { ReadingRules } from './rules.ts';

type Unread = Exclude<Answer, Read>;

/**
 * Why the service must not be asked; undefined if it may be. If the recorded time is the one that the last wait was set for, that wait
 * is over, whatever the clock says. Only a wait for people may end before that time.
 * @param afterStop when the wait is over after the last read of an attempt that has ended, if the execution was redriven since.
 */
export function reasonNotToRead(
  { record, cursor }: Omit<View, 'ledger'>,
  pause: StagePause | undefined,
  now: number,
  afterStop?: string,
): Unread | undefined {
  const { known } = cursor;
  if (record.status !== 'CLOSED' && isToMove(record)) return { is: 'moving' };
  const held = heldUntil(pause, record, now);
  if (held !== undefined) return { is: 'held', until: held };
  if (record.orderId === undefined) return { is: 'not created' };
  const until = latest(readNotBefore(record), afterStop);
  // Nobody knows how long a wait lasted that was stopped.
  const isOver = afterStop === undefined && until === cursor.nextReadAt && !known.waitedForPeople;
  return until === undefined || isOver || secondsUntil(until, now) === 0 ? undefined : { is: 'too early', until };
}

/** The plan if the service did not answer, or was not asked. The execution goes on with the recorded status. */
export function planWithoutRead(view: View, answer: Unread, rules: ReadingRules, now: number): Plan {
  const { record, cursor } = view;
  const { nextReadAt } = cursor;
  const next = (given: Next): Plan => ({ output: outputOf(view, given) });
  switch (answer.is) {
    case 'moving':
      return next({ todo: 'continue', pollAfterSeconds: 0, nextReadAt });
    case 'not created':
      return next({ todo: 'create', pollAfterSeconds: 0, nextReadAt });
    case 'held':
      // The cursor's `nextReadAt` stays, so that afterwards the order is not read too early.
      return waitOn(view, { pollAfterSeconds: secondsUntil(answer.until, now), nextReadAt }, { rules, now });
    case 'too early': {
      const nextReadSeconds = secondsUntil(answer.until, now);
      const wait = { pollAfterSeconds: nextReadSeconds, nextReadAt: answer.until };
      return waitOn(view, wait, { rules, now, nextReadSeconds });
    }
    case 'throttled': {
      const least = record.pollAfterSeconds ?? rules.minimumSeconds;
      const pollAfterSeconds = Math.min(
        Math.max(answer.error.call.retryAfterSeconds ?? 0, least),
        LONGEST_WAIT_SECONDS,
      );
      const postpone = timeIn(pollAfterSeconds, now);
      return { ...next({ todo: 'wait', pollAfterSeconds, nextReadAt: postpone }), postpone };
    }
    case 'unusable':
      return afterUnusable(view, answer.error, rules, now);
  }
}

/**
 * The order waits as before. A wait for people that has ended begins again: what they upload meanwhile ends it at once.
 * @param nextReadSeconds until the next read is allowed; undefined if nobody knows, because the stage is paused.
 */
function waitOn(
  view: View,
  wait: Pick<Next, 'pollAfterSeconds' | 'nextReadAt'>,
  time: { rules: ReadingRules; now: number; nextReadSeconds?: number },
): Plan {
  const { record, cursor } = view;
  const { waitingFor: what, awaited, rounds, pollAfterSeconds } = record;
  if (!cursor.known.waitedForPeople || (what !== 'signatures' && what !== 'decision'))
    return { output: outputOf(view, { todo: 'wait', ...wait }) };
  const files = what === 'signatures' ? (rounds?.signatures?.fileIds.length ?? 0) : 0;
  const waitSeconds = secondsOfWait(what, awaited?.since, time);
  const round = rounds?.signatures?.number ?? 0;
  // The usual wait follows when they have ended this one.
  const usual = time.nextReadSeconds === undefined && pollAfterSeconds !== undefined ? { pollAfterSeconds } : {};
  const again = { todo: 'act' as const, ...wait, ...usual, files, work: files, round, waitSeconds };
  return { forget: what, output: outputOf(view, again) };
}

/**
 * Waits to read again: the cause may be temporary. The wait is the usual one, or a longer one if the answer asks for it. Fails after as
 * many unusable answers in a row as the stage allows, over the settling time, or when the same unknown status is believed.
 */
function afterUnusable(
  view: View,
  error: Extract<Answer, { is: 'unusable' }>['error'],
  rules: ReadingRules,
  now: number,
): Plan {
  const { record, cursor } = view;
  const { unknownStatus: status, pollAfterSeconds } = error.call;
  const strange = strangeBefore(record, cursor);
  // The service has one more status, or it was somebody else's answer.
  const before = status === undefined ? cursor.known.unusable : strange?.status === status ? strange : undefined;
  const repeatsLimit = status === undefined ? rules.unusableReadsLimit : rules.repeatsLimit;
  const counted = oneMore(before, now);
  const usual = settlingWait(record.pollAfterSeconds ?? rules.defaultSeconds, counted, now);
  const wait = nextReadAfter(pollAfterSeconds, { ...rules, minimumSeconds: usual, defaultSeconds: usual }, now);
  const output = outputOf(view, { todo: 'wait', ...wait });
  const known = status === undefined ? { unusable: counted } : { strange: { ...counted, status } };
  return {
    postpone: wait.nextReadAt,
    ...(isBelieved(counted, { ...rules, repeatsLimit }, now) && { failure: error }),
    output: { ...output, known: { ...output.known, ...known } },
  };
}
