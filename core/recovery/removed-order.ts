import { UNDECIDED } from '../order/choices.ts';
import type { OrderItem, Removal, RemovedPart } from '../order/order-item.ts';

/**
 * What stays of the item `order`: references, times and the status. Without it, a package with the same `orderRef` would start a
 * second order. What is not in this list is removed.
 */
const STAYS = [
  'orderRef',
  'item',
  'status',
  'statusSince',
  'waitingFor',
  'createdAt',
  'changedAt',
  'packageVersionId',
  'choose',
  'signing',
  'orderId',
  'generation',
  'execution',
  'eventCount',
] as const satisfies (keyof OrderItem)[];

/** The item `order` without anything that may be personal. It is in no list of orders with data to remove. */
export function reducedOrder(order: OrderItem, removal: Removal): OrderItem {
  const stays = Object.fromEntries(
    STAYS.filter((name) => order[name] !== undefined).map((name) => [name, order[name]]),
  ) as unknown as Pick<OrderItem, (typeof STAYS)[number]>;
  const { failure, dismissed } = order;
  return {
    ...stays,
    documents: [],
    decision: UNDECIDED,
    ...(failure && { failure: { ...failure, cause: 'The cause was removed with the data of the order.' } }),
    // Without the failure before it, whose cause would stay.
    ...(dismissed && { dismissed: { at: dismissed.at, by: dismissed.by } }),
    removal,
  };
}

/** Whether the item stays in a reduced record: the order, and the lines of the timeline that prove holds and removals. */
export function stays(item: string): boolean {
  return item === 'order' || /^event#[^#]+#(removed|hold)-/.test(item);
}

/**
 * The removal of a part that begins now, or goes on.
 * @param by `retention`, or the access key of who erases.
 * @param found how much there is to remove.
 */
export function begin(before: RemovedPart | undefined, by: string, found: number): RemovedPart {
  if (!before) return { by, begunAt: new Date().toISOString(), count: found };
  const { by: _by, begunAt, endedAt, count } = before;
  // An interrupted removal has counted what is left. What came after a complete one was not counted.
  return { by, begunAt, count: endedAt === undefined ? Math.max(count, found) : count + found };
}

export function end(part: RemovedPart): RemovedPart {
  return { ...part, endedAt: new Date().toISOString() };
}

/** What `erased.json` says. */
export function erasedPage(orderRef: string, { files, record }: Removal) {
  const { count: versions, ...ofFiles } = files;
  if (!record) return { orderRef, files: { versions, ...ofFiles } };
  const { count: items, ...ofRecord } = record;
  return { orderRef, files: { versions, ...ofFiles }, record: { items, ...ofRecord } };
}
