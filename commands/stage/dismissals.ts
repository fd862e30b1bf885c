import type { OrderTable } from '../../core/aws/order-table.ts';
import type { OrderChange } from '../../core/events/order-event.ts';
import { withOutbox } from '../../core/events/outbox.ts';
import { changedPages, sameOutbox } from '../../core/order/change-order.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { latest } from '../../core/time.ts';
import { changedMeanwhile } from './record.ts';

/** What the record says of an order after it was dismissed. */
export type Dismissed = Required<Pick<OrderItem, 'failure' | 'dismissed' | 'changedAt' | 'generation'>> &
  Pick<OrderItem, 'execution' | 'orderId'>;

/**
 * The order then waits for nobody, and its data is removed like that of any order that is over. The next sweep sends its events and
 * publishes its pages, because operators have no right to do that.
 */
export async function recordDismissal(table: OrderTable, order: OrderItem, end: Dismissed): Promise<void> {
  const over = { waitingFor: 'nobody', openFor: 'files-to-remove', resume: undefined, awaited: undefined } as const;
  const events = [{ type: 'Order Ended', end: 'DISMISSED' }] as const;
  await change(table, order, { ...end, ...over }, events, '#waitingFor = :before', { ':before': 'operator' });
}

/** The order waits for an operator again, with the failure that it had before. */
export async function bringBack(table: OrderTable, order: OrderItem): Promise<void> {
  const failure = order.dismissed?.failure ?? order.failure;
  const changedAt = latest(new Date().toISOString(), order.changedAt);
  const changes = { waitingFor: 'operator', openFor: 'operator', failure, dismissed: undefined, changedAt } as const;
  await change(table, order, changes, [], 'attribute_exists(#dismissed) AND attribute_not_exists(removal)');
}

/** @throws Refusal when the order has changed since it was read. */
async function change(
  table: OrderTable,
  order: OrderItem,
  changes: Parameters<typeof changedPages>[1],
  events: readonly OrderChange[],
  condition: string,
  values: Record<string, string> = {},
): Promise<void> {
  const { orderRef, item, generation } = order;
  const outbox = withOutbox(order, events, changedPages(order, changes));
  const isNewest = sameOutbox(order, outbox);
  const isDriven = `${'generation' in changes ? '#generation' : 'generation'} = :current`;
  const isChanged = await table.updateItem(
    { orderRef, item },
    { ...changes, ...outbox },
    [isDriven, condition, isNewest.condition].join(' AND '),
    { ':current': generation, ...values, ...isNewest.values },
  );
  if (!isChanged) throw changedMeanwhile(orderRef);
}
