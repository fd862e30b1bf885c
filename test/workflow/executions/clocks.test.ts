import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, slowProcessingSeconds: 20 } });
const table = world.outputs.OrderTable ?? '';

async function putIntoRecord(orderRef: string, changes: Partial<OrderItem>): Promise<void> {
  const before = await world.record(orderRef);
  await world.dynamodb.send(new PutCommand({ TableName: table, Item: { ...before, ...changes } }));
}

test('a change is dated after one that a machine made whose clock is ahead', async () => {
  await world.submitUntil('ahead', ({ status }) => status === 'IN_WORK', { scenario: 'slow-processing' });
  const ahead = world.clock.now() + 45_000;
  const changedAt = new Date(ahead).toISOString();
  await putIntoRecord('ahead', { changedAt });
  const next = await world.until('ahead', (order) => order.changedAt !== changedAt);
  expect(world.clock.now()).toBeLessThan(ahead);
  expect(Date.parse(next.changedAt)).toBe(ahead + 1);
});
