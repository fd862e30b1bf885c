import { isAllConfirmed } from '../order/decision-states.ts';
import { isFinal, type OrderItem, type WaitingFor } from '../order/order-item.ts';
import type { Facts, Plan, Read, Step } from './plan.ts';
import { nextReadAfter } from './poll.ts';
import { roundKindIn } from './round.ts';
import type { ReadingRules } from './rules.ts';

/** Whether the answer is exactly the last recorded one, and the order waits as that answer says. */
export function isUnchanged(record: OrderItem, { order: { status }, sha256 }: Read): boolean {
  return sha256 === record.snapshotSha256 && status === record.status && waitsFor(status) === record.waitingFor;
}

/** Whether the answer changes the recorded wait, which the next execution uses: a long or longer wait, or the end of a throttling. */
export function changesWait(
  { notBefore, pollAfterSeconds }: OrderItem,
  { order }: Read,
  rules: ReadingRules,
  now: number,
) {
  const next = nextReadAfter(order.pollAfterSeconds, rules, now).pollAfterSeconds;
  const isLonger = pollAfterSeconds !== undefined && next > pollAfterSeconds;
  return isLonger || next > rules.longSeconds || notBefore.throttled?.backOffUntil !== undefined;
}

function waitsFor(status: string): WaitingFor {
  return isFinal(status) ? 'nobody' : 'service';
}

/** The changes of the record; undefined if the read brings nothing new, and the next step is to wait. */
export function changesOf(
  facts: Facts,
  step: Step,
  { isAgain, isUnsigned }: Record<'isAgain' | 'isUnsigned', boolean>,
): Plan['record'] {
  const { record, read, order, rules, now } = facts;
  const { status } = order;
  const ends = endsOf(record);
  if (isUnchanged(record, read) && !step.round && step.todo === 'wait' && !isUnsigned && !ends)
    return changesWait(record, read, rules, now) ? { changes: waitAfter(facts), isDated: false } : undefined;
  // The order has left the status. If it comes back, people are asked again.
  const entered = status !== record.status && { awaited: undefined, statusSince: new Date(now).toISOString() };
  const kind = roundKindIn(status);
  const changes = {
    snapshotSha256: read.sha256,
    status,
    waitingFor: isAgain ? record.waitingFor : waitingForIn(record, status),
    ...entered,
    ...(kind && step.round && { rounds: { ...record.rounds, [kind]: step.round } }),
    ...(isUnsigned && { unsigned: true as const }),
    ...ends,
    ...waitAfter(facts),
  };
  return { changes: changes as Partial<OrderItem>, isDated: true, same: samePages(facts) };
}

/** What an answer to a read ends: an outage, and the doubt about a read before a redrive. Undefined if there is nothing to end. */
export function endsOf({ resume, stoppedAt }: OrderItem): Pick<OrderItem, 'resume' | 'stoppedAt'> | undefined {
  if (resume === undefined && stoppedAt === undefined) return undefined;
  return { ...(resume && { resume: undefined }), ...(stoppedAt && { stoppedAt: undefined }) };
}

/** The end of an order changes what `choices.json` says of choices that are not confirmed. */
function samePages({ decision }: Facts): NonNullable<NonNullable<Plan['record']>['same']> {
  return isAllConfirmed(decision) ? ['choices.json'] : [];
}

/** The wait that the answer allows. It ends a `Retry-After`, but not the patience with the service. */
function waitAfter({ record, next }: Facts): Pick<OrderItem, 'notBefore' | 'pollAfterSeconds'> {
  const { throttled } = record.notBefore;
  const ended = throttled && { throttled: { since: throttled.since, generation: throttled.generation } };
  return { notBefore: { readAt: next.nextReadAt, ...ended }, pollAfterSeconds: next.pollAfterSeconds };
}

/** The end of an execution whose function still runs may have been recorded: then the order waits for an operator. */
function waitingForIn({ failure, waitingFor }: OrderItem, status: string): WaitingFor {
  return failure && !isFinal(status) ? waitingFor : waitsFor(status);
}
