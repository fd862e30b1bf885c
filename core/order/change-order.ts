import { isDeepStrictEqual } from 'node:util';
import { IS_KEPT, orderKey, orderTable } from '../aws/order-table.ts';
import type { Values } from '../aws/record-table.ts';
import type { OrderChange } from '../events/order-event.ts';
import { type Outbox, type PageName, withOutbox } from '../events/outbox.ts';
import { timeAfter } from '../time.ts';
import { isFinal, type OrderItem } from './order-item.ts';

/** The attributes whose change updates each page. Other attributes of a page appear with its next update. */
const PAGE_FACTS: Record<PageName, (order: OrderItem) => unknown[]> = {
  'status.json': ({ status, waitingFor, failure }) => [status, waitingFor, failure],
  'choices.json': ({ decision: { version }, decisionReason, status }) => [
    version,
    decisionReason,
    version > 0 && isFinal(status),
  ],
};

type OrderChanges = { [Name in Exclude<keyof OrderItem, 'changedAt'>]?: OrderItem[Name] | undefined };

export function changedPages(before: OrderItem, changes: OrderChanges): PageName[] {
  const after = { ...before, ...changes } as OrderItem;
  const pages = Object.keys(PAGE_FACTS) as PageName[];
  return pages.filter((page) => !isDeepStrictEqual(PAGE_FACTS[page](before), PAGE_FACTS[page](after)));
}

/** A write to the item `order`, as `RecordTable.updateItem` takes it. */
export interface OrderWrite {
  changes: OrderChanges;
  /** The pages that change, unless they follow from `changes`. */
  pages?: PageName[];
  /** Whether to set `changedAt`. */
  isDated: boolean;
  condition: string;
  values?: Values;
  /** The order is ended because it was dismissed. */
  isDismissed?: true;
}

/** Nobody has dismissed the order. An operator brings it back before a retry starts. */
const IS_ACTIVE = 'attribute_not_exists(dismissed)';

/**
 * Changes the order, and adds its events and changed pages to its outbox in the same write. The caller sends the outbox.
 * Never changes an order that was erased.
 * @param before the order as it was read. The events follow from it.
 * @returns the changed order; undefined if the condition was false, or if someone else wrote first.
 */
export async function changeOnce(
  before: OrderItem,
  { changes, pages = changedPages(before, changes), isDated, condition, values, isDismissed }: OrderWrite,
  announced: readonly OrderChange[],
): Promise<OrderItem | undefined> {
  const outbox = withOutbox(before, announced, pages);
  const isNewest = sameOutbox(before, outbox);
  const isActive = isDismissed ? 'attribute_exists(dismissed)' : IS_ACTIVE;
  return orderTable.changeItem<OrderItem>(
    orderKey(before.orderRef),
    { ...changes, ...(isDated && { changedAt: timeAfter(before.changedAt) }), ...outbox },
    [`(${condition})`, IS_KEPT, isActive, isNewest.condition].join(' AND '),
    { ...values, ...isNewest.values },
  );
}

/**
 * The condition that nobody has added anything to the outbox since the item was read.
 * @param changes the attributes that the same write changes.
 */
export function sameOutbox({ outboxCount }: Outbox, changes: Outbox): { condition: string; values: Values } {
  const name = 'outboxCount' in changes ? '#outboxCount' : 'outboxCount';
  if (outboxCount === undefined) return { condition: `attribute_not_exists(${name})`, values: {} };
  return { condition: `${name} = :lastOutbox`, values: { ':lastOutbox': outboxCount } };
}

/**
 * Like {@link changeOnce}, but if someone else wrote first, reads again and retries. So a change causes its events only once, even if a
 * step is repeated or the response to a write was lost.
 * @param eventsOf the events, given the order before the change.
 * @returns the changed order; undefined if the condition was false.
 */
export async function changeRepeatedly(
  read: OrderItem,
  write: OrderWrite,
  eventsOf: (before: OrderItem) => OrderChange[],
): Promise<OrderItem | undefined> {
  for (let before = read; ; ) {
    const changed = await changeOnce(before, write, eventsOf(before));
    if (changed) return changed;
    const now = await orderTable.getItem<OrderItem>(orderKey(read.orderRef));
    if (!now || now.outboxCount === before.outboxCount) return undefined;
    before = now;
  }
}
