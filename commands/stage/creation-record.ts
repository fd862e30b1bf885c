import type { OrderTable } from '../../core/aws/order-table.ts';
import { stored } from '../../core/ledger/entry.ts';
import { NONE, OPEN } from '../../core/ledger/knowledge.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { claimOrderId, orderIdKey } from '../../core/order-service/order-id.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';
import type { Operation } from './record.ts';

/** Records what an operator found out about an order's creation. A write is refused when the order has changed meanwhile. */
export class CreationRecord {
  readonly #table: OrderTable;

  constructor(table: OrderTable) {
    this.#table = table;
  }

  /**
   * Records whether the service created the order: with an `orderId` it did, without one it did not.
   * @throws Refusal when the creation has changed since `seen` was read.
   */
  async resolve({ orderRef, item, attempts }: Operation, orderId: string | undefined): Promise<void> {
    const at = new Date().toISOString();
    const known = stored(orderId ? { state: 'done', outcome: { orderId } } : NONE);
    const changes = { failure: undefined, outcome: undefined, ...known, endedAt: at, resolvedAt: at };
    await this.#change(
      { orderRef, item },
      changes,
      'attempts = :attempts AND (#state = :open OR attribute_exists(#resolvedAt))',
      {
        ':attempts': attempts,
        ':open': stored(OPEN).state,
      },
    );
  }

  /**
   * Records that `orderId` belongs to this order, as the function `create-order` does.
   * @returns the other order that already has it, if any.
   */
  async holdOrderId(orderRef: string, orderId: string): Promise<string | undefined> {
    return claimOrderId(this.#table, orderRef, orderId);
  }

  /** Lets another order have `orderId`. */
  async releaseOrderId(orderId: string): Promise<void> {
    await this.#table.deleteItem(orderIdKey(orderId));
  }

  /**
   * Removes an `orderId` that an operator recorded and that the service has never answered to.
   * @throws Refusal when an execution has claimed or read the order since.
   */
  async forgetOrderId({ orderRef, item, generation, changedAt }: OrderItem): Promise<void> {
    // The first read of an order changes its status, so it is a dated change.
    const condition = 'generation = :generation AND changedAt = :changedAt';
    await this.#change({ orderRef, item }, { orderId: undefined }, condition, {
      ':generation': generation,
      ':changedAt': changedAt,
    });
  }

  async #change(...[key, ...change]: Parameters<OrderTable['updateItem']>): Promise<void> {
    if (!(await this.#table.updateItem(key, ...change))) throw changedMeanwhile(key.orderRef);
  }
}
