import { changeItem, getItem, IS_KEPT, putItem, type Values } from '../aws/order-table.ts';
import type { OrderChange } from '../events/order-event.ts';
import { type Outbox, type Sender, withEvents } from '../events/outbox.ts';
import { timeAfter } from '../time.ts';
import type { OrderItem } from './order-item.ts';
import { sendOutbox } from './send-outbox.ts';

/** A write to the item `order`, as `RecordTable.updateItem` takes it. */
export interface OrderWrite {
  changes: { [Name in Exclude<keyof OrderItem, 'changedAt'>]?: OrderItem[Name] | undefined };
  /** Whether this is a change of the order, which `changedAt` dates. */
  isDated: boolean;
  condition: string;
  values?: Values;
}

/** The condition that nobody has dismissed the order. An operator brings it back before a retry starts. */
const IS_ACTIVE = 'attribute_not_exists(dismissed)';

const keyOf = ({ orderRef }: Sender) => ({ orderRef, item: 'order' });

/** Adds a new order with its events. Returns false, and tells nobody, if it is recorded already. */
export async function addAndTell(order: Omit<OrderItem, keyof Outbox>, told: readonly OrderChange[]): Promise<boolean> {
  const outbox = withEvents(order, told);
  if (!(await putItem({ ...order, ...outbox }, 'attribute_not_exists(orderRef)'))) return false;
  await sendOutbox(keyOf(order), outbox);
  return true;
}

/**
 * Changes the order, adds what others are told of it to its outbox in the same write, and sends it. Changes nothing of an order that was
 * dismissed or erased, however late a step or an event comes.
 * @param before the order as it was read, from which follows what others are told.
 * @returns the changed order; undefined if the condition was false, or if others have added events since the order was read.
 */
export async function changeOnceAndTell(
  before: OrderItem,
  { changes, isDated, condition, values }: OrderWrite,
  told: readonly OrderChange[],
): Promise<OrderItem | undefined> {
  const { eventCount } = before;
  const isFirst = told.length > 0 ? 'attribute_not_exists(#eventCount)' : 'attribute_not_exists(eventCount)';
  const isNext = told.length > 0 ? '#eventCount = :lastCount' : 'eventCount = :lastCount';
  const changed = await changeItem<OrderItem>(
    keyOf(before),
    {
      ...changes,
      ...(isDated && { changedAt: timeAfter(before.changedAt) }),
      ...(told.length > 0 && withEvents(before, told)),
    },
    `(${condition}) AND ${IS_KEPT} AND ${IS_ACTIVE} AND ${eventCount === undefined ? isFirst : isNext}`,
    { ...values, ...(eventCount !== undefined && { ':lastCount': eventCount }) },
  );
  if (changed && told.length > 0) await sendOutbox(keyOf(before), changed);
  return changed;
}

/**
 * Like {@link changeOnceAndTell}, but if others have added events since the order was read, finds out from the newest record what
 * is left to tell, and writes again. So one change is told once, also if a step is repeated or the answer to a write was lost.
 * @param toldOf what others are told, given the order before the change.
 * @returns the changed order; undefined if the condition was false.
 */
export async function changeAndTell(
  read: OrderItem,
  write: OrderWrite,
  toldOf: (before: OrderItem) => OrderChange[],
): Promise<OrderItem | undefined> {
  for (let before = read; ; ) {
    const changed = await changeOnceAndTell(before, write, toldOf(before));
    if (changed) return changed;
    const now = await getItem<OrderItem>(keyOf(read));
    if (!now || now.eventCount === before.eventCount) return undefined;
    before = now;
  }
}
