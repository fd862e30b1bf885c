import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stackSettings } from '../settings.ts';
import { clientDefaults, withoutLog } from './aws-client.ts';
import { RecordTable, type Values } from './record-table.ts';

/** The client, and the name of the stage's table. */
export const ORDERS = [withoutLog(new DynamoDBClient(clientDefaults)), () => stackSettings.orderTable] as const;
export const orderTable = new RecordTable(...ORDERS);

export type ItemKey = Record<'orderRef' | 'item', string>;

/** The key of the item with the order's state. The other items of its record have other names. */
export const orderKey = (orderRef: string): ItemKey => ({ orderRef, item: 'order' });

/** The token that all functions share. No order has this key: an `orderRef` begins with a letter or digit. */
export const TOKEN_KEY: ItemKey = { orderRef: '#token', item: 'token' };

/** The condition that no data of the order was removed. After a removal, the order is never changed. */
export const IS_KEPT = 'attribute_not_exists(removal)';

/** Changes attributes of the item `order` that cause no event, unless data of the order was removed. */
export const updateOrder = (orderRef: string, changes: Values, condition: string, values?: Values): Promise<boolean> =>
  orderTable.updateItem(orderKey(orderRef), changes, `(${condition}) AND ${IS_KEPT}`, values);
