import { inPlace } from '../commands/shared/place.ts';
import { coloured, formatSpan, type Meaning, meaningOf, plain, some } from '../commands/shared/text.ts';
import type { OrderItem } from '../core/order/order-item.ts';
import { readNotBefore } from '../core/order/order-item.ts';
import { wrappedLine } from './screen.ts';

export type ShownOrder = Pick<OrderItem, 'orderRef' | 'status' | 'waitingFor' | 'changedAt' | 'failure' | 'resume'> &
  Partial<Pick<OrderItem, 'notBefore'>>;

const LONGEST_USUAL_REFERENCE = 18;

/** One line for each order: reference, status, what it waits for, and the next read. */
export class OrderLines {
  readonly #orders = new Map<string, ShownOrder>();
  readonly #place: string;

  /** @param place the option that selects this laptop on the command line. */
  constructor(place: string) {
    this.#place = place;
  }

  changed(order: ShownOrder): void {
    this.#orders.set(order.orderRef, order);
  }

  /** As many orders as fit, with a line that counts the rest. Open and recently changed orders have priority. */
  lines(columns: number, room: number, now = Date.now()): string[] {
    const orders = [...this.#orders.values()];
    const shown = new Map<string, string[]>();
    let left = room - 1;
    for (const order of orders.toSorted(byInterest)) {
      const lines = wrappedLine(inPlace(lineOf(order, now), [this.#place]), columns);
      if (lines.length > left) break;
      shown.set(order.orderRef, lines);
      left -= lines.length;
    }
    // In order of arrival: lines that jump are hard to follow.
    const lines = orders.flatMap(({ orderRef }) => shown.get(orderRef) ?? []);
    const rest = orders.filter(({ orderRef }) => !shown.has(orderRef));
    if (rest.length === 0) return lines;
    const over = rest.filter(({ waitingFor }) => waitingFor === 'nobody').length;
    return [...lines, `… ${some(rest.length, 'order')} more, ${over} over`.slice(0, columns)];
  }
}

function byInterest(one: ShownOrder, other: ShownOrder): number {
  const isOver = ({ waitingFor }: ShownOrder) => Number(waitingFor === 'nobody');
  return isOver(one) - isOver(other) || other.changedAt.localeCompare(one.changedAt);
}

function lineOf(order: ShownOrder, now: number): string {
  const status = plain(order.status);
  return `${order.orderRef.padEnd(LONGEST_USUAL_REFERENCE)} ${coloured(meaning(order), status)}  ${standing(order, now)}`;
}

function meaning({ status, failure, resume, waitingFor }: ShownOrder): Meaning {
  if (failure) return resume ? 'attention' : 'bad';
  if (status === 'REJECTED') return 'bad';
  return waitingFor === 'signatures' || waitingFor === 'decision' ? 'attention' : meaningOf(status);
}

function standing(order: ShownOrder, now: number): string {
  const { waitingFor, failure, resume, orderRef } = order;
  const nextReadAt = readNotBefore(order);
  const until = (at: string) => `in ${formatSpan(Math.max(0, Date.parse(at) - now))}`;
  if (waitingFor === 'nobody') return failure ? `over: ${failure.error}` : 'over';
  if (failure && resume) return `stopped by ${failure.error}, goes on by itself ${until(resume.at)}`;
  if (failure) return `stopped by ${failure.error}: loan-orders show ${orderRef}`;
  const isAhead = nextReadAt !== undefined && Date.parse(nextReadAt) > now;
  return `waits for ${waitingFor}${isAhead ? `, next read ${until(nextReadAt)}` : ''}`;
}
