import type { OrderTable } from '../../core/aws/order-table.ts';
import { withEvents } from '../../core/events/outbox.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
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
   * From now on the order waits for nobody, and its data is removed like that of any order that is over. Others are told by the
   * next sweep: operators have no right to put events on the bus.
   */
  async dismiss(order: OrderItem, end: Dismissed): Promise<void> {
    const over = { waitingFor: 'nobody', openFor: 'files-to-remove', resume: undefined, awaited: undefined };
    const outbox = withEvents(order, [{ type: 'Order Ended', end: 'DISMISSED' }]);
    const { eventCount } = order;
    const isNext = eventCount === undefined ? 'attribute_not_exists(#eventCount)' : '#eventCount = :lastCount';
    await this.#change(order, { ...end, ...over, ...outbox }, `#waitingFor = :before AND ${isNext}`, {
      ':before': 'operator',
      ...(eventCount !== undefined && { ':lastCount': eventCount }),
    });
  }

  /** The order waits for an operator again, with the failure that it had before. */
  async bringBack(order: OrderItem): Promise<void> {
    const failure = order.dismissed?.failure ?? order.failure;
    const changedAt = latest(new Date().toISOString(), order.changedAt);
    const changes = { waitingFor: 'operator', openFor: 'operator', failure, dismissed: undefined, changedAt };
    await this.#change(order, changes, 'attribute_exists(#dismissed) AND attribute_not_exists(removal)');
  }

  async #change(
    { orderRef, item, generation }: OrderItem,
    changes: Record<string, unknown>,
    condition: string,
    values: Record<string, string | number> = {},
  ): Promise<void> {
    const isChanged = await this.#table.updateItem(
      { orderRef, item },
      changes,
      `${'generation' in changes ? '#generation' : 'generation'} = :current AND ${condition}`,
      { ':current': generation, ...values },
    );
    if (!isChanged) throw changedMeanwhile(orderRef);
  }
}
