import { isBehind, isToMove } from '../functions/shared/order/move.ts';
import { isFinal, type OrderItem } from '../functions/shared/order/order-item.ts';
import { type Answer, Refusal } from './refusal.ts';
import type { Connection } from './stage/connection.ts';
import { columns, time } from './text.ts';

/** What happens to one order. */
interface Row {
  orderRef: string;
  /** The release that it runs in; undefined before its first execution. */
  release: string | undefined;
  action: 'mark' | 'none' | 'changed meanwhile';
  /** When it continues in the newest release. */
  when: string;
}

const REFUSED = 1;

/**
 * `migrate <orderRef>… | --all`: marks orders in flight. The next read of a marked order hands it over to the newest release.
 * @param orderRefs undefined for all orders that are not over.
 * @param preview says what would happen, and changes nothing.
 */
export async function migrate(
  connection: Connection,
  orderRefs: string[] | undefined,
  { preview = false }: { preview?: boolean } = {},
): Promise<Answer> {
  const release = connection.release();
  const orders = await (orderRefs ? named(connection, orderRefs) : open(connection));
  const rows: Row[] = [];
  for (const order of orders) {
    const row = rowOf(order, release);
    const isLost = row.action === 'mark' && !preview && !(await connection.record.markToMove(order, release));
    rows.push(isLost ? { ...row, action: 'changed meanwhile', when: 'Unknown: repeat the command.' } : row);
  }
  const lost = rows.some(({ action }) => action === 'changed meanwhile');
  return {
    lines: page(rows, release, preview),
    json: { release, preview, orders: rows },
    ...(lost && { exitCode: REFUSED }),
  };
}

/** @throws Refusal if one of the orders does not exist or is over. Nothing is marked then. */
async function named({ record }: Connection, orderRefs: string[]): Promise<OrderItem[]> {
  const orders: OrderItem[] = [];
  for (const orderRef of new Set(orderRefs)) {
    const { order } = await record.details(orderRef);
    if (isFinal(order.status)) {
      throw new Refusal(`Order ${orderRef} is ${order.status}, which is final: no order was marked.`);
    }
    orders.push(order);
  }
  return orders;
}

/** The orders that are not over. */
async function open({ record }: Connection): Promise<OrderItem[]> {
  const orders: OrderItem[] = [];
  for (const { orderRef, waitingFor } of await record.list()) {
    if (waitingFor !== 'nobody') orders.push((await record.details(orderRef)).order);
  }
  return orders;
}

function rowOf(order: OrderItem, newest: string): Row {
  const { orderRef, release, execution, failure, resume } = order;
  const row = (action: Row['action'], when: string): Row => ({ orderRef, release, action, when });
  if (failure && resume) return row('none', `When it is started again by itself, ${time(resume.at)}.`);
  if (failure) return row('none', 'When it is retried.');
  if (execution === undefined) return row('none', 'With its first execution.');
  if (isBehind(order, newest)) return row('mark', whenOf(order));
  return row('none', isToMove(order) ? `It is marked already. ${whenOf(order)}` : 'It runs in this release.');
}

/** When the order is read next. The record has the earliest time only. */
function whenOf({ waitingFor, nextReadAt }: OrderItem): string {
  if (waitingFor === 'signatures') return 'When the signatures are there, or after waitRecheckHours.';
  if (waitingFor === 'decision') return 'When the decision is there, or after waitRecheckHours.';
  const isAhead = nextReadAt !== undefined && Date.parse(nextReadAt) > Date.now();
  return isAhead ? `At its next read, ${time(nextReadAt)} or later.` : 'At its next read.';
}

function page(rows: Row[], release: string, preview: boolean): string[] {
  const marked = rows.filter(({ action }) => action === 'mark').length;
  const orders = `${marked} of ${rows.length} ${rows.length === 1 ? 'order' : 'orders'}`;
  const table = rows.map(({ orderRef, release: own, when }) => [orderRef, own ?? '', when]);
  return [
    ...(rows.length > 0 ? [...columns([['ORDER', 'RELEASE', 'CONTINUES IN THE NEWEST'], ...table]), ''] : []),
    preview
      ? `${orders} would be marked for release ${release}. Nothing was changed.`
      : `${orders} marked for release ${release}.`,
  ];
}
