import { isFinal, type OrderItem } from '../core/order/order-item.ts';
import { isBehind, isToMove, markToMove } from '../core/recovery/move.ts';
import { type AddCommand, PARTIES } from './shared/arguments.ts';
import type { StageConnection } from './shared/connection.ts';
import { type ManyAnswer, ofMany, type Preview } from './shared/many-orders.ts';
import { nextReadOf } from './shared/order-details.ts';
import { columns, Refusal, some, time } from './shared/text.ts';

export const addMigrate: AddCommand = (program, perform) =>
  ofMany(program, perform, {
    verb: 'migrate',
    description: 'move orders in flight to the newest release at their next read',
    all: 'all orders that are not over',
    done: 'marked',
    candidates: PARTIES.filter((party) => party !== 'nobody'),
    one: migrate,
    preview: previewMigration,
  });

interface Row {
  orderRef: string;
  /** The release that it runs in; undefined before its first execution. */
  release: string | undefined;
  action: 'mark' | 'none';
  /** When it continues in the newest release. */
  when: string;
}

/** Marks an order in flight. The next read of a marked order hands it over to the newest release. */
async function migrate(connection: StageConnection, orderRef: string): Promise<ManyAnswer> {
  const newest = connection.outputs('Release');
  const { order } = await connection.record.details(orderRef);
  if (isFinal(order.status)) {
    throw new Refusal(`Order ${orderRef} is ${order.status}, which is final: it was not marked.`);
  }
  const row = rowOf(order, newest);
  const isMarked = row.action === 'mark';
  if (isMarked && !(await markToMove(connection.record.table, order, newest))) {
    throw new Refusal(
      `Order ${orderRef} changed at the same moment: it was not marked. Repeat the command: it does nothing twice.`,
    );
  }
  const when = row.when.charAt(0).toLowerCase() + row.when.slice(1);
  return {
    lines: [
      isMarked
        ? `Order ${orderRef} was marked for release ${newest}. It continues there: ${when}`
        : `Order ${orderRef} was not marked. ${row.when}`,
    ],
    json: { newest, ...row },
    nothingToDo: !isMarked,
  };
}

async function previewMigration(connection: StageConnection, orderRefs: string[]): Promise<Preview> {
  const newest = connection.outputs('Release');
  const rows: Row[] = [];
  for (const orderRef of orderRefs)
    rows.push(previewOf(orderRef, await connection.record.findDetails(orderRef), newest));
  const marked = rows.filter(({ action }) => action === 'mark').length;
  const table = rows.map(({ orderRef, release, when }) => [orderRef, release ?? '', when]);
  return {
    lines: [
      ...columns([['ORDER', 'RELEASE', 'CONTINUES IN THE NEWEST'], ...table]),
      '',
      `${marked} of ${some(rows.length, 'order')} would be marked for release ${newest}.`,
    ],
    orders: rows,
  };
}

function previewOf(orderRef: string, details: { order: OrderItem } | undefined, newest: string): Row {
  const none = { orderRef, release: details?.order.release, action: 'none' } as const;
  if (!details) return { ...none, when: 'Never: there is no such order.' };
  const { order } = details;
  return isFinal(order.status) ? { ...none, when: `Never: it is ${order.status}.` } : rowOf(order, newest);
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

/** The time of the next read. The record has only the earliest time. */
function whenOf(order: OrderItem): string {
  const nextReadAt = nextReadOf(order);
  if (order.waitingFor === 'signatures') return 'When the signatures are there, or after six hours.';
  if (order.waitingFor === 'decision') return 'When the decision is there, or after six hours.';
  return nextReadAt ? `At its next read, ${time(nextReadAt)} or later.` : 'At its next read.';
}
