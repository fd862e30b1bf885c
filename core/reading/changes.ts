import { anyConfirmed } from '../offers/decision.ts';
import { isAllConfirmed } from '../order/decision-states.ts';
import { availableIn, banksOf } from '../order/labels.ts';
import { isFinal, NOT_ASKED, type OrderItem, readNotBefore, type WaitingFor } from '../order/order-item.ts';
import { isBelieved } from './believed.ts';
import { beforeRead } from './output.ts';
import type { Facts, Plan, Read, Step, View } from './plan.ts';
import { nextReadAfter } from './poll.ts';
import { roundKindIn } from './round.ts';
import type { ReadingRules } from './rules.ts';

/**
 * Whether the last read found nothing to do and nothing has changed since: neither the order nor the decision. `nextReadAt` shows whether
 * there was another read in between. A repeated status that is now believed is never quiet.
 */
export function isQuiet(
  { record, cursor }: Omit<View, 'ledger'>,
  read: Read,
  rules: ReadingRules,
  now: number,
): boolean {
  return (
    cursor.known.decision === record.decision.version &&
    cursor.nextReadAt === (readNotBefore(record) ?? '') &&
    isUnchanged(record, read) &&
    !endsOf(record) &&
    !changesWait(record, read, rules, now) &&
    !isBelieved(beforeRead(record, cursor).repeats, rules, now)
  );
}

/** Whether the answer is exactly the last recorded one, and the order waits as that answer says. */
function isUnchanged(record: OrderItem, { order: { status }, sha256 }: Read): boolean {
  return sha256 === record.snapshotSha256 && status === record.status && waitsFor(status) === record.waitingFor;
}

/** Whether the answer changes the recorded wait, which the next execution uses: a long or longer wait, or the end of throttling. */
function changesWait({ notBefore, pollAfterSeconds }: OrderItem, { order }: Read, rules: ReadingRules, now: number) {
  const next = nextReadAfter(order.pollAfterSeconds, rules, now).pollAfterSeconds;
  const isLonger = pollAfterSeconds !== undefined && next > pollAfterSeconds;
  return isLonger || next > rules.longSeconds || notBefore.throttled?.backOffUntil !== undefined;
}

function waitsFor(status: string): WaitingFor {
  return isFinal(status) ? 'nobody' : 'service';
}

/** The changes of the record; undefined if the read shows nothing new and the next step is to wait. */
export function changesOf(
  facts: Facts,
  step: Step,
  { isAgain, isUnsigned }: Record<'isAgain' | 'isUnsigned', boolean>,
): Plan['record'] {
  const { record, read, before, rules, now, wait, decision } = facts;
  const { status } = facts.order;
  const { throttled } = record.notBefore;
  // It ends a `Retry-After`, but not the patience with the service.
  const ended = throttled && { throttled: { since: throttled.since, generation: throttled.generation } };
  const waits = { notBefore: { readAt: wait.nextReadAt, ...ended }, pollAfterSeconds: wait.pollAfterSeconds };
  // What is left to send or to fetch may be what the outage stopped. It is not, once people were waited for.
  const isLeft = step.todo !== 'wait' && status === record.status && !before.waitedForPeople;
  const ends = endsOf(isLeft ? { ...record, resume: undefined } : record);
  if (isUnchanged(record, read) && !step.round && step.todo === 'wait' && !isUnsigned && !ends)
    return changesWait(record, read, rules, now) ? { changes: waits, isDated: false } : undefined;
  // The order has left the status. If it returns, people are asked again.
  const entered = status !== record.status && { ...NOT_ASKED, statusSince: new Date(now).toISOString() };
  const kind = roundKindIn(status);
  // If the end of this execution was recorded while its function still runs, the order waits for an operator.
  const isEnded = record.failure && !isFinal(status);
  const changes = {
    snapshotSha256: read.sha256,
    status,
    waitingFor: isAgain || isEnded ? record.waitingFor : waitsFor(status),
    ...entered,
    ...(kind && step.round && { rounds: { ...record.rounds, [kind]: step.round } }),
    ...(isUnsigned && { unsigned: true as const }),
    ...bankLabel(facts),
    ...ends,
    ...waits,
  };
  // The end of an order changes what `choices.json` says of choices that are not confirmed.
  const seen = { offered: availableIn(facts.order.offers ?? []).length > 0, taken: anyConfirmed(decision) };
  return { changes, isDated: true, same: isAllConfirmed(decision) ? ['choices.json'] : [], seen };
}

/** The label `bank`, if it has changed. Without the choices, it is unknown of which offers the banks are. */
function bankLabel({ record, rules, order: { offers }, decision }: Facts): Pick<OrderItem, 'labels'> | undefined {
  if (!rules.bankAt || !offers || (record.decision.version > 0 && !decision)) return undefined;
  const taken = decision?.choices.filter(({ choice, confirm }) => confirm === 'done' || !choice.withdrawn) ?? [];
  const chosen = taken.map(({ choice }) => choice);
  const bank = banksOf(offers, chosen, rules.bankAt);
  const { bank: before = '', ...others } = record.labels ?? {};
  return bank === before ? undefined : { labels: { ...others, ...(bank && { bank }) } };
}

/** What an answered read clears: an outage, and the doubt about a read before a redrive. Undefined if there is nothing to end. */
function endsOf({ resume, stoppedAt }: OrderItem): Pick<OrderItem, 'resume' | 'stoppedAt'> | undefined {
  if (resume === undefined && stoppedAt === undefined) return undefined;
  return { ...(resume && { resume: undefined }), ...(stoppedAt && { stoppedAt: undefined }) };
}
