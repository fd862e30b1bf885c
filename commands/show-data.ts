import type { OrderItem, RemovedPart } from '../functions/shared/order/order-item.ts';
import { time } from './text.ts';

/** What `show` says about holds and removals, as rows of a name and a value. */
export function dataRows({ legalHold, removal }: OrderItem): string[][] {
  return [
    ...(legalHold ? [['Legal hold', `since ${time(legalHold.at)}, by ${legalHold.by}`]] : []),
    ...(removal ? [['Files', state(removal.files, 'removed', 'versions')]] : []),
    ...(removal?.record ? [['Record', state(removal.record, 'reduced', 'items')]] : []),
  ];
}

/** A part that is not removed whole is never called removed. */
function state({ by, begunAt, endedAt, count }: RemovedPart, done: string, what: string): string {
  if (endedAt === undefined) return `INCOMPLETE: being ${done} since ${time(begunAt)}, by ${by}`;
  return `${done} ${time(endedAt)}: ${count} ${what}, by ${by}`;
}
