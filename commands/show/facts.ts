import type { Dismissal, OrderItem, RemovedPart } from '../../core/order/order-item.ts';
import { isToMove } from '../../core/recovery/move.ts';
import type { Execution } from '../stage/executions.ts';
import { plain, time } from '../text.ts';
import { nextReadOf, nextTryOf } from './situation.ts';
import type { OperationView, TimelineView } from './views.ts';

/** What the record says of an order, as rows of a name and a value. */
export function facts(order: OrderItem): string[][] {
  return [
    ['Order', order.orderRef],
    ['Status', order.status],
    ['Waiting for', order.waitingFor],
    ['Order id', order.orderId ?? ''],
    ...(order.unsigned ? [['Signed', unsigned(order)]] : []),
    ['Documents', String(order.documents.length)],
    ['Generation', String(order.generation)],
    ['Execution', order.execution ?? ''],
    ['Release', releaseOf(order)],
    ['Created', time(order.createdAt)],
    ['Changed', time(order.changedAt)],
    ...dataRows(order),
    ...nextReadRow(order),
    ...nextTryRow(order),
  ];
}

/** An order may be closed before any read shows its offers, if it had any. */
function unsigned({ status }: OrderItem): string {
  return status === 'CLOSED'
    ? 'No: the order was closed without our signatures.'
    : 'No: the order reached its offers without our signatures.';
}

/** The release that the order runs in, and the one that it continues in. */
function releaseOf({ release = '', ...order }: OrderItem): string {
  return isToMove(order) ? `${release}, and from its next read on in ${order.moveTo?.release}` : release;
}

function nextReadRow(order: OrderItem): string[][] {
  const nextReadAt = nextReadOf(order);
  return nextReadAt === undefined ? [] : [['Next read', `${time(nextReadAt)}, as the order service asked`]];
}

function nextTryRow(order: OrderItem): string[][] {
  const nextTry = nextTryOf(order);
  return nextTry ? [['Next try', `${time(nextTry.at)}, by itself: number ${nextTry.tries} in this outage`]] : [];
}

/** An operation as a row. The name of its file stands in place of a position or a `fileId`, and of the version. */
export function operationRow({ failure = '', facts, ...operation }: OperationView): string[] {
  const { state, attempts, intendedAt, endedAt } = operation;
  const lastCall = [failure, ...facts].filter(Boolean).join(', ');
  return [shortName(operation), state, String(attempts), time(endedAt ?? intendedAt), plain(lastCall)];
}

function shortName({ name, file }: Pick<OperationView, 'name' | 'file'>): string {
  return file === undefined ? name : `${name.split('#', 2).join('#')} ${file}`;
}

export function timelineRow({ at, what, facts }: TimelineView): string[] {
  return [time(at), [what, ...facts].join(', ')];
}

export function executionRow({ name, status, startedAt, endedAt }: Execution): string[] {
  return [name, status, time(startedAt), time(endedAt)];
}

/** What `show` says about dismissals, holds and removals, as rows of a name and a value. */
function dataRows({ dismissed, legalHold, removal }: OrderItem): string[][] {
  return [
    ...(dismissed ? [['Dismissed', dismissal(dismissed)]] : []),
    ...(legalHold ? [['Legal hold', `since ${time(legalHold.at)}, by ${legalHold.by}`]] : []),
    ...(removal ? [['Files', stateOf(removal.files, 'removed', 'versions')]] : []),
    ...(removal?.record ? [['Record', stateOf(removal.record, 'reduced', 'items')]] : []),
  ];
}

function dismissal({ at, by, failure }: Dismissal): string {
  return `${time(at)}, by ${by}${failure ? `, after ${failure.error}` : ''}`;
}

/** Only a part that is removed completely is called removed. */
function stateOf({ by, begunAt, endedAt, count }: RemovedPart, done: string, what: string): string {
  if (endedAt === undefined) return `INCOMPLETE: being ${done} since ${time(begunAt)}, by ${by}`;
  return `${done} ${time(endedAt)}: ${count} ${what}, by ${by}`;
}
