import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isDone } from '../../core/aws/conditional-write.ts';
import { withEvents } from '../../core/events/outbox.ts';
import type { OrderItem } from '../../core/order/order-item.ts';
import { latest } from '../../core/time.ts';
import { changedMeanwhile } from './changed-meanwhile.ts';
import { OrderTable } from './order-table.ts';

/** What the record says of an order after it was dismissed. */
export type Dismissed = Required<Pick<OrderItem, 'failure' | 'dismissed' | 'changedAt' | 'generation'>> &
  Pick<OrderItem, 'execution' | 'orderId'>;

/** Dismisses orders, and brings them back. A write is refused when the order has changed since it was read. */
export class Dismissals extends OrderTable {
  /**
   * From now on the order waits for nobody, and its data is removed like that of any order that is over. Others are told by the
   * next sweep: operators have no right to put events on the bus.
   */
  async dismiss(order: OrderItem, end: Dismissed): Promise<void> {
    const over = { waitingFor: 'nobody', openFor: 'files-to-remove', resume: undefined, awaited: undefined };
    const outbox = withEvents(order, [{ type: 'Order Ended', end: 'DISMISSED' }]);
    const { eventCount } = order;
    const isNext = eventCount === undefined ? 'attribute_not_exists(eventCount)' : 'eventCount = :lastCount';
    await this.#change(order, { ...end, ...over, ...outbox }, `waitingFor = :waitingFor AND ${isNext}`, {
      ':waitingFor': 'operator',
      ...(eventCount !== undefined && { ':lastCount': eventCount }),
    });
  }

  /** The order waits for an operator again, with the failure that it had before. */
  async bringBack(order: OrderItem): Promise<void> {
    const failure = order.dismissed?.failure ?? order.failure;
    const changedAt = latest(new Date().toISOString(), order.changedAt);
    const changes = { waitingFor: 'operator', openFor: 'operator', failure, dismissed: undefined, changedAt };
    await this.#change(order, changes, 'attribute_exists(dismissed) AND attribute_not_exists(removal)');
  }

  async #change(
    { orderRef, item, generation }: OrderItem,
    changes: Record<string, unknown>,
    condition: string,
    values: Record<string, string | number> = {},
  ): Promise<void> {
    const [set, remove] = [names(changes, true), names(changes, false)];
    const update = new UpdateCommand({
      TableName: this.table,
      Key: { orderRef, item },
      UpdateExpression:
        `SET ${set.map((name) => `#${name} = :new_${name}`).join(', ')}` +
        (remove.length > 0 ? ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}` : ''),
      ConditionExpression: `#generation = :generation AND ${condition}`,
      ExpressionAttributeNames: Object.fromEntries(
        [...Object.keys(changes), 'generation'].map((name) => [`#${name}`, name]),
      ),
      ExpressionAttributeValues: {
        ...Object.fromEntries(set.map((name) => [`:new_${name}`, changes[name]])),
        ':generation': generation,
        ...values,
      },
    });
    if (!(await isDone(this.client.send(update)))) throw changedMeanwhile(orderRef);
  }
}

/** The names of the attributes that are set, or of those that are removed. */
function names(changes: Record<string, unknown>, isSet: boolean): string[] {
  return Object.keys(changes).filter((name) => (changes[name] !== undefined) === isSet);
}
