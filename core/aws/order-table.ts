import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stackSettings } from '../settings.ts';
import { clientDefaults, withoutLog } from './aws-client.ts';
import { type KeyOf, RecordTable, type Values } from './record-table.ts';

export type { Values } from './record-table.ts';

export type OrderTable = RecordTable<'orderRef'>;

export const openOrderTable = (client: DynamoDBClient, name: string | (() => string)): OrderTable =>
  new RecordTable(client, name, 'orderRef');

/** The client, and the name of the stage's table. */
export const ORDERS = [withoutLog(new DynamoDBClient(clientDefaults)), () => stackSettings.orderTable] as const;
export const orderTable = openOrderTable(...ORDERS);

export type ItemKey = KeyOf<'orderRef'>;

// The methods of `orderTable` as functions: see RecordTable.
export const getItem: OrderTable['getItem'] = (...given) => orderTable.getItem(...given);
export const getItems: OrderTable['getItems'] = (...given) => orderTable.getItems(...given);
export const putItem: OrderTable['putItem'] = (...given) => orderTable.putItem(...given);
export const updateItem: OrderTable['updateItem'] = (...given) => orderTable.updateItem(...given);
export const changeItem: OrderTable['changeItem'] = (...given) => orderTable.changeItem(...given);
export const deleteItem: OrderTable['deleteItem'] = (...given) => orderTable.deleteItem(...given);
export const queryItems: OrderTable['queryItems'] = (...given) => orderTable.queryItems(...given);

/** The condition that nothing of the order was removed. Whatever comes later changes nothing of it. */
export const IS_KEPT = 'attribute_not_exists(removal)';

/** Changes attributes of the item `order` that cause no event, unless something of the order was removed. */
export const updateOrder = (orderRef: string, changes: Values, condition: string, values?: Values): Promise<boolean> =>
  updateItem({ orderRef, item: 'order' }, changes, `(${condition}) AND ${IS_KEPT}`, values);
