import { GetCommand, PutCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { isDone } from '../../core/aws/conditional-write.ts';
import { BY_WAITING } from '../../core/order/order-item.ts';
import { PAUSE_KEY, type StagePause } from '../../core/order/stage-pause.ts';
import { OrderTable } from './order-table.ts';

/** The pause of a stage. The table keeps the last one. */
export class Pauses extends OrderTable {
  /** The last pause, which may be over. */
  async find(): Promise<StagePause | undefined> {
    const found = new GetCommand({ TableName: this.table, Key: PAUSE_KEY, ConsistentRead: true });
    return (await this.client.send(found)).Item as StagePause | undefined;
  }

  /** Pauses the stage. Returns false if it is paused already. */
  async begin(pause: StagePause): Promise<boolean> {
    const begin = new PutCommand({
      TableName: this.table,
      Item: { ...PAUSE_KEY, ...pause },
      ConditionExpression: 'attribute_not_exists(since) OR attribute_exists(resumedAt)',
    });
    return isDone(this.client.send(begin));
  }

  /** Ends this pause. Returns false if it has been ended. */
  async end({ since }: StagePause, end: Required<Pick<StagePause, 'resumedAt' | 'resumedBy' | 'goOnSeconds'>>) {
    const { resumedAt, resumedBy, goOnSeconds } = end;
    const update = new UpdateCommand({
      TableName: this.table,
      Key: PAUSE_KEY,
      UpdateExpression: 'SET resumedAt = :at, resumedBy = :by, goOnSeconds = :seconds',
      ConditionExpression: 'since = :since AND attribute_not_exists(resumedAt)',
      ExpressionAttributeValues: { ':at': resumedAt, ':by': resumedBy, ':seconds': goOnSeconds, ':since': since },
    });
    return isDone(this.client.send(update));
  }

  /** How many orders wait for the service, as it was up to some seconds ago. */
  async ordersForService(): Promise<number> {
    const query = {
      TableName: this.table,
      IndexName: BY_WAITING,
      KeyConditionExpression: 'openFor = :service',
      ExpressionAttributeValues: { ':service': 'service' },
      Select: 'COUNT' as const,
    };
    let orders = 0;
    for await (const { Count = 0 } of paginateQuery({ client: this.client }, query)) orders += Count;
    return orders;
  }
}
