import { orderTable } from '../aws/order-table.ts';
import { OrderError, OutcomeUnknown, Rejected, Throttled, UnexpectedResponse } from '../errors.ts';
import { SentAgainLater } from '../ledger/perform-operation.ts';
import { logger } from '../log.ts';
import { NEVER_A_VERDICT } from '../service/what-answers-prove.ts';
import { creationSettings } from '../settings.ts';
import { timeIn } from '../time.ts';
import type { OrderItem } from './order-item.ts';
import { PAUSE_KEY, secondsToLook } from './stage-pause.ts';

/** The key of the item that holds the stage's creations back. No order has it. */
export const CREATIONS_KEY = { orderRef: PAUSE_KEY.orderRef, item: 'creations' };

/**
 * A creation got no answer, so it is unknown whether the service has the order. The stage's other creations wait and are tried one at a
 * time. Waiting creations are not recorded as sent, so few outcomes become unknown. Times are ISO 8601 in UTC.
 */
export interface CreationHold {
  /** Since when no creation was answered. */
  since: string;
  /** The last result instead of an answer: an HTTP status, or the name of an error. */
  cause: string;
  tries: number;
  /** When the next one may be tried. */
  nextTry: string;
  /** An answered read has made a try due. It counts once, until a read is not answered. */
  answered?: true;
  /** When a creation was answered. Those that waited follow one after another. */
  endedAt?: string;
}

const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 6 * 3_600;
const waitAfter = (tries: number) => Math.min(FIRST_WAIT_SECONDS * 2 ** (tries - 1), LONGEST_WAIT_SECONDS);

export const isHolding = (hold: CreationHold | undefined): hold is CreationHold & { endedAt?: never } =>
  hold !== undefined && hold.endedAt === undefined;

/**
 * Lets a creation through when it is its turn.
 * @param isRetry whether a person has just started the order again, which makes a try due.
 * @throws Throttled if this creation must wait.
 */
export async function waitForTurn(order: OrderItem, hold: CreationHold, isRetry: boolean): Promise<void> {
  const { since, tries, nextTry, endedAt } = hold;
  if (endedAt !== undefined && (isRetry || order.createdAt > endedAt)) return;
  const taken =
    endedAt === undefined
      ? { tries: tries + 1, nextTry: timeIn(waitAfter(tries + 1)) }
      : { nextTry: timeIn(creationSettings.secondsBetween) };
  const isDue = isRetry || nextTry <= new Date().toISOString();
  const isSame = 'tries = :before AND nextTry = :next';
  if (isDue && (await orderTable.updateItem(CREATIONS_KEY, taken, isSame, { ':before': tries, ':next': nextTry })))
    return;
  const why = endedAt === undefined ? 'the service has not answered a creation' : 'other creations go first';
  throw new Throttled(`Order ${order.orderRef}: ${why}. This one waits. Nothing was sent.`, {
    call: { postponedUntil: timeIn(secondsToLook({ since: endedAt ?? since }, Date.now())) },
  });
}

/** Records what a creation's error shows about the service. */
export async function learnFromCreation(error: unknown, hold: CreationHold | undefined): Promise<void> {
  if (!(error instanceof OrderError) || error.call.requestId === undefined) return;
  const { name, call } = error;
  const { httpStatus = 500 } = call;
  const isUnknown = [OutcomeUnknown, UnexpectedResponse, SentAgainLater].some((kind) => error instanceof kind);
  const isAnswer = httpStatus >= 400 && httpStatus < 500 && !NEVER_A_VERDICT.includes(httpStatus);
  if (isUnknown && !isAnswer) await beginHold(String(call.httpStatus ?? name));
  else if (error instanceof Rejected) await endHold(hold);
}

/** A creation that was already in progress must not reset the count. */
async function beginHold(cause: string): Promise<void> {
  const begun = { since: new Date().toISOString(), cause, tries: 1, nextTry: timeIn(waitAfter(1)) };
  const isNew = 'attribute_not_exists(since) OR attribute_exists(endedAt)';
  await noted(
    async () =>
      (await orderTable.putItem({ ...CREATIONS_KEY, ...begun }, isNew)) ||
      orderTable.updateItem(CREATIONS_KEY, { cause }),
  );
}

export async function endHold(hold: CreationHold | undefined): Promise<void> {
  if (!isHolding(hold)) return;
  const endedAt = new Date().toISOString();
  await noted(() =>
    orderTable.updateItem(CREATIONS_KEY, { endedAt, nextTry: endedAt }, 'attribute_not_exists(#endedAt)'),
  );
}

/** Records whether the service has answered a read. If it answers again, it may also answer a creation. */
export async function noteRead(hold: CreationHold | undefined, isAnswered: boolean): Promise<void> {
  if (!isHolding(hold) || isAnswered === (hold.answered ?? false)) return;
  const changes = isAnswered ? { answered: true, nextTry: new Date().toISOString() } : { answered: undefined };
  const isSame = 'tries = :before AND attribute_not_exists(endedAt)';
  await noted(() => orderTable.updateItem(CREATIONS_KEY, changes, isSame, { ':before': hold.tries }));
}

/** If this fails, the next call records it. */
async function noted(write: () => Promise<unknown>): Promise<void> {
  await write().catch(({ name }: Error) =>
    logger.warn('Whether creations wait could not be recorded', { error: name }),
  );
}
