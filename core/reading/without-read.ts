import { NoUsableAnswer, rebuilt } from '../errors.ts';
import { readNotBefore } from '../order/order-item.ts';
import { heldUntil, type StagePause } from '../order/stage-pause.ts';
import { secondsOfWait } from '../order/waits.ts';
import { isToMove } from '../recovery/move.ts';
import { latest, secondsUntil, timeIn } from '../time.ts';
import { isBelieved, oneMore, settlingWait } from './believed.ts';
import type { DecidedRead, Given, Unread, View } from './plan.ts';
import { nextReadAfter, sleepOf, waitOfReadBefore } from './poll.ts';

/**
 * Why the service must not be asked; undefined if it may be. If the recorded time is the one that the last wait was set for, that wait
 * is over, whatever the clock says. Only a wait for people may end before that time.
 */
export function reasonNotToRead(
  { record, cursor }: Omit<View, 'ledger'>,
  pause: StagePause | undefined,
  now: number,
): Unread | undefined {
  const { stoppedAt } = record;
  if (record.status !== 'CLOSED' && isToMove(record)) return { is: 'moving' };
  const held = heldUntil(pause, record, now);
  if (held !== undefined) return { is: 'held', until: held };
  // It is unknown how long a stopped wait lasted.
  const afterStop = stoppedAt && timeIn(waitOfReadBefore(record, Date.parse(stoppedAt)), Date.parse(stoppedAt));
  const until = latest(readNotBefore(record), afterStop);
  const isOver = afterStop === undefined && until === cursor.nextReadAt && !cursor.known.waitedForPeople;
  if (until !== undefined && !isOver && secondsUntil(until, now) > 0) return { is: 'too early', until };
  return record.orderId === undefined ? { is: 'not created' } : undefined;
}

/** What follows if the service did not answer, or was not asked. The execution goes on with the recorded status. */
export function withoutRead(given: Given, answer: Unread): DecidedRead {
  const { next, ...decided } = unread(given, answer);
  const { pollAfterSeconds: seconds } = next;
  return { ...decided, next: { ...next, ...(seconds !== undefined && sleepOf(seconds)) } };
}

function unread(given: Given, answer: Unread): DecidedRead {
  const counted = given.before.repeats;
  const least = given.record.pollAfterSeconds ?? given.rules.minimumSeconds;
  switch (answer.is) {
    case 'moving':
      return { next: { todo: 'continue', counted } };
    case 'not created':
      return { next: { todo: 'create', counted } };
    case 'held':
    case 'too early':
      return waitOn(given, answer);
    case 'throttled': {
      const wait = waitAtLeast(least, answer.error.call.retryAfterSeconds, given);
      return { postpone: wait.nextReadAt, reason: 'Retry-After', next: { todo: 'wait', counted, ...wait } };
    }
    case 'no token': {
      const { pollAfterSeconds } = waitAtLeast(least, answer.error.call.tokenWaitSeconds, given);
      return { next: { todo: 'wait', counted, pollAfterSeconds } };
    }
    case 'unusable':
      return afterUnusable(given, answer);
  }
}

/** The order waits as before. A wait for people that has ended begins again: what they upload meanwhile ends it at once. */
function waitOn(
  { record, before, rules, now }: Given,
  { is, until }: Extract<Unread, { is: 'held' | 'too early' }>,
): DecidedRead {
  const { waitingFor: what, awaited, due, rounds, pollAfterSeconds: usual } = record;
  const seconds = secondsUntil(until, now);
  // The cursor's `nextReadAt` stays during a pause, so that afterwards the order is not read too early.
  const isAllowed = is === 'too early';
  const wait = { counted: before.repeats, pollAfterSeconds: seconds, ...(isAllowed && { nextReadAt: until }) };
  if (!before.waitedForPeople || (what !== 'signatures' && what !== 'decision'))
    return { next: { todo: 'wait', ...wait } };
  const { number: round = 0, fileIds = [] } = rounds?.signatures ?? {};
  const files = what === 'signatures' ? fileIds.length : 0;
  const time = { rules, now, ...(isAllowed && { nextReadSeconds: seconds }) };
  const since = awaited?.since ?? new Date(now).toISOString();
  const waitSeconds = secondsOfWait({ what, since }, due, time);
  // After a wait during a pause, the usual one follows.
  const after = !isAllowed && usual !== undefined && { pollAfterSeconds: usual };
  return { forget: what, next: { todo: 'act', ...wait, ...after, files, work: files, round, waitSeconds } };
}

/**
 * Waits to read again: the cause may be temporary. The wait is the usual one, or a longer one if the answer asks for it. After as many
 * unusable answers in a row as the stage allows, over the settling time, they are an outage. An unknown status that is believed is a verdict.
 */
function afterUnusable(given: Given, { error }: Extract<Unread, { is: 'unusable' }>): DecidedRead {
  const { record, before, rules, now } = given;
  const { unknownStatus: status, pollAfterSeconds } = error.call;
  // The service has a new status, or the answer came from another server.
  const strange = before.strange?.status === status ? before.strange : undefined;
  const repeatsLimit = status === undefined ? rules.unusableReadsLimit : rules.repeatsLimit;
  const counted = oneMore(status === undefined ? before.unusable : strange, now);
  const usual = settlingWait(record.pollAfterSeconds ?? rules.defaultSeconds, counted, now);
  const wait = waitAtLeast(usual, pollAfterSeconds, given);
  const known = status === undefined ? { unusable: counted } : { strange: { ...counted, status } };
  const outage = rebuilt(NoUsableAnswer, `${error.message} No answer was usable since ${counted.since}.`, error);
  return {
    postpone: wait.nextReadAt,
    ...(isBelieved(counted, { ...rules, repeatsLimit }, now) && { failure: status === undefined ? outage : error }),
    next: { todo: 'wait', counted: before.repeats, ...wait, known },
  };
}

const waitAtLeast = (seconds: number, asked: unknown, { rules, now }: Given) =>
  nextReadAfter(asked, { ...rules, minimumSeconds: seconds, defaultSeconds: seconds }, now);
