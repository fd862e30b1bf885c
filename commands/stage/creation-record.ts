import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isDone } from '../../core/aws/conditional-write.ts';
import { NONE, OPEN } from '../../core/ledger/knowledge.ts';
import { stored } from '../../core/ledger/stored-entry.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { ORDER_ID_IS_FREE, orderIdKey } from '../../core/order-service/order-id-key.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';
import { OrderTable } from './order-table.ts';
import type { Operation } from './record.ts';

/** Records what an operator found out about an order's creation. A write is refused when the order has changed meanwhile. */
export class CreationRecord extends OrderTable {
  /**
   * Records whether the service created the order: with an `orderId` it did, without one it did not.
   * @throws Refusal when the creation has changed since `seen` was read.
   */
  async resolve(seen: Operation, orderId: string | undefined): Promise<void> {
    const { state, outcome } = stored(orderId ? { state: 'done', outcome: { orderId } } : NONE);
    const set = 'SET #state = :state, endedAt = :at, resolvedAt = :at';
    await this.#update(seen, {
      UpdateExpression: outcome
        ? `${set}, outcome = :outcome REMOVE failure, refusals, since`
        : `${set} REMOVE failure, refusals, since, outcome`,
      ConditionExpression: 'attempts = :attempts AND (#state = :open OR attribute_exists(resolvedAt))',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':state': state,
        ':at': new Date().toISOString(),
        ':attempts': seen.attempts,
        ':open': stored(OPEN).state,
        ...(outcome && { ':outcome': outcome }),
      },
    });
  }

  /**
   * Records that `orderId` belongs to this order, as the function `create-order` does.
   * @returns the other order that already has it, if any.
   */
  async holdOrderId(orderRef: string, orderId: string): Promise<string | undefined> {
    const Item = { ...orderIdKey(orderId), holder: orderRef };
    const condition = { ConditionExpression: ORDER_ID_IS_FREE, ExpressionAttributeValues: { ':holder': orderRef } };
    const hold = new PutCommand({ TableName: this.table, Item, ...condition });
    if (await isDone(this.client.send(hold))) return undefined;
    const held = new GetCommand({ TableName: this.table, Key: orderIdKey(orderId), ConsistentRead: true });
    return (await this.client.send(held)).Item?.holder as string | undefined;
  }

  /** Lets another order have `orderId`. */
  async releaseOrderId(orderId: string): Promise<void> {
    await this.client.send(new DeleteCommand({ TableName: this.table, Key: orderIdKey(orderId) }));
  }

  /**
   * Removes an `orderId` that an operator recorded and that the service has never answered to.
   * @throws Refusal when an execution has claimed or read the order since.
   */
  async forgetOrderId({ orderRef, item, generation, changedAt }: OrderItem): Promise<void> {
    await this.#update(
      { orderRef, item },
      {
        UpdateExpression: 'REMOVE orderId',
        // The first read of an order changes its status, so it is a dated change.
        ConditionExpression: 'generation = :generation AND changedAt = :changedAt',
        ExpressionAttributeValues: { ':generation': generation, ':changedAt': changedAt },
      },
    );
  }

  async #update(
    { orderRef, item }: { orderRef: string; item: string },
    change: Omit<ConstructorParameters<typeof UpdateCommand>[0], 'TableName' | 'Key'>,
  ): Promise<void> {
    const update = new UpdateCommand({ TableName: this.table, Key: { orderRef, item }, ...change });
    if (!(await isDone(this.client.send(update)))) throw changedMeanwhile(orderRef);
  }
}
