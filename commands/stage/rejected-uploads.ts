import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import {
  COUNT_ITEM,
  KINDS,
  LINE_PREFIX,
  linesOf,
  REJECTED,
  type RejectedCount,
  type RejectedKind,
  type RejectedLine,
} from '../../core/people/rejected-line.ts';
import { OrderTable } from './order-table.ts';

/** The list of rejected uploads. */
export interface RejectedList {
  lines: RejectedLine[];
  /** How many uploads of each kind the list has no line for, because it was full. */
  notListed: Record<RejectedKind, number>;
}

/** Reads the list of rejected uploads, which is one record of the order table. */
export class RejectedUploads extends OrderTable {
  /** Everything that was rejected. */
  async list(): Promise<RejectedList> {
    const items = await this.#itemsFrom('');
    const count = items.find(({ item }) => item === COUNT_ITEM) as RejectedCount | undefined;
    const notListed = Object.fromEntries(KINDS.map((kind) => [kind, count?.[`more-${kind}`] ?? 0]));
    return {
      lines: items.filter(({ item }) => item.startsWith(LINE_PREFIX)) as RejectedLine[],
      notListed: notListed as RejectedList['notListed'],
    };
  }

  /** What was rejected in the folder of an order. */
  async inFolder(orderRef: string): Promise<RejectedLine[]> {
    return (await this.#itemsFrom(linesOf(orderRef))) as RejectedLine[];
  }

  async #itemsFrom(prefix: string): Promise<(RejectedLine | RejectedCount)[]> {
    const items: (RejectedLine | RejectedCount)[] = [];
    const query = {
      TableName: this.table,
      KeyConditionExpression: prefix ? 'orderRef = :list AND begins_with(#item, :prefix)' : 'orderRef = :list',
      ...(prefix && { ExpressionAttributeNames: { '#item': 'item' } }),
      ExpressionAttributeValues: { ':list': REJECTED, ...(prefix && { ':prefix': prefix }) },
      ConsistentRead: true,
    };
    for await (const { Items = [] } of paginateQuery({ client: this.client }, query)) {
      items.push(...(Items as (RejectedLine | RejectedCount)[]));
    }
    return items;
  }
}
