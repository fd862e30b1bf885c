import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { clientDefaults } from './aws-client.ts';
import { environment } from './environment.ts';

/** Both keys of every item: the order it belongs to and which item of that order it is. */
export interface ItemKey {
  orderRef: string;
  item: string;
}

export type Values = Record<string, unknown>;

const client = DynamoDBDocumentClient.from(new DynamoDBClient(clientDefaults), {
  marshallOptions: { removeUndefinedValues: true },
});

/** The item, read consistently; undefined when there is none. */
export async function getItem<Item>(key: ItemKey): Promise<Item | undefined> {
  const { Item } = await client.send(
    new GetCommand({ TableName: environment('ORDER_TABLE'), Key: { ...key }, ConsistentRead: true }),
  );
  return Item as Item | undefined;
}

/** Writes the item where `condition` holds; false when it does not. */
export async function putItem(
  item: ItemKey & Values,
  condition?: string,
  values?: Values,
  names?: Record<string, string>,
): Promise<boolean> {
  return conditional(
    client.send(
      new PutCommand({
        TableName: environment('ORDER_TABLE'),
        Item: item,
        ...(condition && { ConditionExpression: condition }),
        ...(values && { ExpressionAttributeValues: values }),
        ...(names && { ExpressionAttributeNames: names }),
      }),
    ),
  );
}

/**
 * Sets `changes` (an undefined value removes the attribute) where `condition` holds; false when it does not. Attribute
 * names in `condition` are written `#name` when listed in `changes`, plainly otherwise.
 */
export async function updateItem(
  key: ItemKey,
  changes: Values,
  condition?: string,
  values: Values = {},
): Promise<boolean> {
  const names = Object.keys(changes);
  const set = names.filter((name) => changes[name] !== undefined).map((name) => `#${name} = :${name}`);
  const remove = names.filter((name) => changes[name] === undefined).map((name) => `#${name}`);
  const expression = [set.length && `SET ${set.join(', ')}`, remove.length && `REMOVE ${remove.join(', ')}`];
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const expressionValues = { ...Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])), ...values };
  return conditional(
    client.send(
      new UpdateCommand({
        TableName: environment('ORDER_TABLE'),
        Key: { ...key },
        UpdateExpression: expression.filter(Boolean).join(' '),
        ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ...(Object.keys(expressionValues).length > 0 && { ExpressionAttributeValues: expressionValues }),
        ...(condition && { ConditionExpression: condition }),
      }),
    ),
  );
}

/** Deletes the item where `condition` holds; false when it does not. */
export async function deleteItem(key: ItemKey, condition?: string, values?: Values): Promise<boolean> {
  return conditional(
    client.send(
      new DeleteCommand({
        TableName: environment('ORDER_TABLE'),
        Key: { ...key },
        ...(condition && { ConditionExpression: condition }),
        ...(values && { ExpressionAttributeValues: values }),
      }),
    ),
  );
}

/** Every item of the order whose `item` begins with `prefix`, in order, read consistently. */
export async function queryItems<Item>(orderRef: string, prefix: string): Promise<Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: environment('ORDER_TABLE'),
        KeyConditionExpression: 'orderRef = :orderRef AND begins_with(#item, :prefix)',
        ExpressionAttributeNames: { '#item': 'item' },
        ExpressionAttributeValues: { ':orderRef': orderRef, ':prefix': prefix },
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    items.push(...((page.Items ?? []) as Item[]));
    start = page.LastEvaluatedKey;
  } while (start);
  return items;
}

async function conditional(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
