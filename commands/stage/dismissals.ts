import type { OrderTable } from '../../core/aws/order-table.ts';
import type { OrderChange } from '../../core/events/order-event.ts';
import { withOutbox } from '../../core/events/outbox.ts';
import { sameCounts } from '../../core/order/change-order.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { changedPages } from '../../core/order/page-facts.ts';
import { latest } from '../../core/time.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';

/** What the record says of an order after it was dismissed. */
export type Dismissed = Required<Pick<OrderItem, 'failure' | 'dismissed' | 'changedAt' | 'generation'>> &
  Pick<OrderItem, 'execution' | 'orderId'>;

/** Dismisses orders, and brings them back. A write is refused when the order has changed since it was read. */
export class Dismissals {
  readonly #table: OrderTable;

  constructor(table: OrderTable) {
    this.#table = table;
  }

  /**
   * From now on the order waits for nobody, and its data is removed like that of any order that is over. The next sweep tells others,
   * and publishes the order's pages: operators have no right to do that.
   */
  async dismiss(order: OrderItem, end: Dismissed): Promise<void> {
    const over = { waitingFor: 'nobody', openFor: 'files-to-remove', resume: undefined, awaited: undefined } as const;
    const told = [{ type: 'Order Ended', end: 'DISMISSED' }] as const;
    await this.#change(order, { ...end, ...over }, told, '#waitingFor = :before', { ':before': 'operator' });
  }

  /** The order waits for an operator again, with the failure that it had before. */
  async bringBack(order: OrderItem): Promise<void> {
    const failure = order.dismissed?.failure ?? order.failure;
    const changedAt = latest(new Date().toISOString(), order.changedAt);
    const changes = { waitingFor: 'operator', openFor: 'operator', failure, dismissed: undefined, changedAt } as const;
    await this.#change(order, changes, [], 'attribute_exists(#dismissed) AND attribute_not_exists(removal)');
  }

  async #change(
    order: OrderItem,
    changes: Parameters<typeof changedPages>[1],
    told: readonly OrderChange[],
    condition: string,
    values: Record<string, string> = {},
  ): Promise<void> {
    const { orderRef, item, generation } = order;
    const outbox = withOutbox(order, told, changedPages(order, changes));
    const isNewest = sameCounts(order, outbox);
    const isDriven = `${'generation' in changes ? '#generation' : 'generation'} = :current`;
    const isChanged = await this.#table.updateItem(
      { orderRef, item },
      { ...changes, ...outbox },
      [isDriven, condition, isNewest.condition].join(' AND '),
      { ':current': generation, ...values, ...isNewest.values },
    );
    if (!isChanged) throw changedMeanwhile(orderRef);
  }
}
