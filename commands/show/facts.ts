import { isToMove } from '../../core/order/move.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { latest } from '../../core/time.ts';
import { time } from '../text.ts';
import { dataRows } from './data.ts';

/** What the record says of an order, as rows of a name and a value. */
export function facts(order: OrderItem): string[][] {
  return [
    ['Order', order.orderRef],
    ['Status', order.status],
    ['Waiting for', order.waitingFor],
    ['Order id', order.orderId ?? ''],
    ...(order.unsigned ? [['Signed', 'No: the order reached its offers without our signatures.']] : []),
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

/** The release that the order runs in, and the one that it continues in. */
function releaseOf({ release = '', ...order }: OrderItem): string {
  return isToMove(order) ? `${release}, and from its next read on in ${order.moveTo?.release}` : release;
}

/** The time before which the order must not be read or called, if it is in the future. */
function nextReadRow(order: OrderItem): string[][] {
  const nextReadAt = nextReadOf(order);
  return nextReadAt === undefined ? [] : [['Next read', `${time(nextReadAt)}, as the order service asked`]];
}

/** When the sweep starts the order again after an outage. */
function nextTryRow(order: OrderItem): string[][] {
  const nextTry = nextTryOf(order);
  return nextTry ? [['Next try', `${time(nextTry.at)}, by itself: number ${nextTry.tries} in this outage`]] : [];
}

export function nextTryOf({ failure, resume }: OrderItem): OrderItem['resume'] {
  return failure && resume;
}

export function nextReadOf({ nextReadAt: wished, throttledUntil }: OrderItem): string | undefined {
  const nextReadAt = latest(wished, throttledUntil);
  return nextReadAt !== undefined && Date.parse(nextReadAt) > Date.now() ? nextReadAt : undefined;
}
