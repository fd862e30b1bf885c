import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { DAY, type World } from './world.ts';

/** How long an order waits for signatures, and for a decision. */
export const DEADLINE = 30 * DAY;

/**
 * Makes a wait for people as old in the record as if its deadline came after this time. The weeks before would be an invocation or two
 * a day that bring nothing. A wait ends within a day, and then the order learns of it.
 */
export async function bringDeadline(world: World, orderRef: string, milliseconds = 2 * DAY): Promise<void> {
  await world.dynamodb.send(
    new UpdateCommand({
      TableName: world.outputs.OrderTable,
      Key: { orderRef, item: 'order' },
      UpdateExpression: 'SET awaited.since = :since',
      ExpressionAttributeValues: { ':since': new Date(world.clock.now() + milliseconds - DEADLINE).toISOString() },
    }),
  );
}
