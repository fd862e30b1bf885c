import { orderTable } from '../aws/order-table.ts';
import { Superseded } from '../errors.ts';
import { withOutbox } from '../events/outbox.ts';
import { changeOnce, changeRepeatedly } from '../order/change-order.ts';
import { changesOf } from '../order/order-changes.ts';
import type { OrderItem } from '../order/order-item.ts';
import { findOrder, waiting } from '../order/order-record.ts';
import { outboxSent } from '../staging/send-outbox.ts';

// Changes of an order's record that cause events or change pages. Each sends the order's outbox afterwards.

/** Records a new order. Returns undefined if it is recorded already. */
export async function addOrder(
  order: Omit<OrderItem, 'item' | 'createdAt' | 'changedAt' | 'notBefore'>,
): Promise<OrderItem | undefined> {
  const { orderRef, status } = order;
  const now = new Date().toISOString();
  const added = {
    ...order,
    ...waiting(order.waitingFor),
    notBefore: {},
    item: 'order' as const,
    createdAt: now,
    changedAt: now,
    ...withOutbox({ orderRef }, [{ type: 'Order Status Changed', status }], ['status.json']),
  };
  const isNew = await orderTable.putItem(added, 'attribute_not_exists(packageVersionId)');
  return isNew ? outboxSent(added) : undefined;
}

/**
 * Ends an order that an operator has dismissed. The operator's clock and words do not count for retention: it begins now.
 * @returns the changed order; undefined if it was brought back, or is ended already.
 */
export async function endDismissed(orderRef: string): Promise<OrderItem | undefined> {
  const before = await findOrder(orderRef);
  const changes = { ...waiting('nobody'), resume: undefined, awaited: undefined };
  const write = { changes, pages: ['status.json' as const], isDated: true, condition: '#openFor <> :openFor' };
  const ended = { ...write, isDismissed: true as const };
  return before && outboxSent(await changeOnce(before, ended, [{ type: 'Order Ended', end: 'DISMISSED' }]));
}

/**
 * Changes the order and `waitingFor`. A late function must not change `waitingFor` if the end of its execution is recorded
 * (then the order waits for an operator), or if the status has changed. In these cases only the other changes are recorded.
 * @throws Superseded if another generation drives the order.
 */
export async function changeWaiting(
  order: OrderItem,
  { waitingFor, ...changes }: Partial<OrderItem> & Pick<OrderItem, 'waitingFor'>,
): Promise<OrderItem> {
  const same = 'generation = :current AND attribute_not_exists(failure) AND #status = :status';
  const changed = await change(order, { status: order.status, ...changes, waitingFor }, same);
  const kept = changed ?? (await change(order, changes, 'generation = :current'));
  if (kept) return outboxSent(kept);
  throw new Superseded(`Order ${order.orderRef} was taken over by another execution. This one stops.`);
}

function change(order: OrderItem, changes: Partial<OrderItem>, condition: string): Promise<OrderItem | undefined> {
  const { waitingFor } = changes;
  const whole = { ...changes, ...(waitingFor && waiting(waitingFor)) };
  const write = { changes: whole, isDated: true, condition, values: { ':current': order.generation } };
  return changeRepeatedly(order, write, (before) => changesOf(before, changes));
}
