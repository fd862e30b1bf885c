import type { Dismissal, OrderItem, RemovedPart } from '../../core/order/order-item.ts';
import { time } from '../text.ts';

/** What `show` says about dismissals, holds and removals, as rows of a name and a value. */
export function dataRows({ dismissed, legalHold, removal }: OrderItem): string[][] {
  return [
    ...(dismissed ? [['Dismissed', dismissal(dismissed)]] : []),
    ...(legalHold ? [['Legal hold', `since ${time(legalHold.at)}, by ${legalHold.by}`]] : []),
    ...(removal ? [['Files', state(removal.files, 'removed', 'versions')]] : []),
    ...(removal?.record ? [['Record', state(removal.record, 'reduced', 'items')]] : []),
  ];
}

function dismissal({ at, by, failure }: Dismissal): string {
  return `${time(at)}, by ${by}${failure ? `, after ${failure.error}` : ''}`;
}

/** A part that is not removed whole is never called removed. */
function state({ by, begunAt, endedAt, count }: RemovedPart, done: string, what: string): string {
  if (endedAt === undefined) return `INCOMPLETE: being ${done} since ${time(begunAt)}, by ${by}`;
  return `${done} ${time(endedAt)}: ${count} ${what}, by ${by}`;
}
