import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stackSettings } from '../settings.ts';
import { clientDefaults, withoutLog } from './aws-client.ts';
import { type KeyOf, RecordTable, type Values } from './record-table.ts';

export type { Values } from './record-table.ts';

/** A stage's order table. */
export type OrderTable = RecordTable<'orderRef'>;

export const openOrderTable = (client: DynamoDBClient, name: string | (() => string)): OrderTable =>
  new RecordTable(client, name, 'orderRef');

/** The order table of a function. */
export const orderTable = openOrderTable(
  withoutLog(new DynamoDBClient(clientDefaults)),
  () => stackSettings.orderTable,
);

export type ItemKey = KeyOf<'orderRef'>;

// The methods of `orderTable` as functions: see RecordTable.
export const getItem = <Item>(key: ItemKey): Promise<Item | undefined> => orderTable.getItem<Item>(key);

export const getItems = (keys: readonly ItemKey[]): Promise<(Values | undefined)[]> => orderTable.getItems(keys);

export const putItem = (
  item: ItemKey & Values,
  condition?: string,
  values?: Values,
  names?: Record<string, string>,
): Promise<boolean> => orderTable.putItem(item, condition, values, names);

export const updateItem = (key: ItemKey, changes: Values, condition?: string, values?: Values): Promise<boolean> =>
  orderTable.updateItem(key, changes, condition, values);

/** The condition that nothing of the order was removed. Whatever comes later changes nothing of it. */
export const IS_KEPT = 'attribute_not_exists(removal)';

/**
 * Changes attributes of the item `order` of which others are not told. Returns false if the condition is false, or if something of the
 * order was removed.
 */
export const updateOrder = (orderRef: string, changes: Values, condition: string, values?: Values): Promise<boolean> =>
  updateItem({ orderRef, item: 'order' }, changes, `(${condition}) AND ${IS_KEPT}`, values);

export const changeItem = <Item>(
  key: ItemKey,
  changes: Values,
  condition?: string,
  values?: Values,
): Promise<Item | undefined> => orderTable.changeItem<Item>(key, changes, condition, values);

export const deleteItem = (key: ItemKey, condition?: string, values?: Values): Promise<boolean> =>
  orderTable.deleteItem(key, condition, values);

export const queryItems = <Item>(orderRef: string, prefix?: string): Promise<Item[]> =>
  orderTable.queryItems<Item>(orderRef, prefix);
