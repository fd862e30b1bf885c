import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { bringBack } from '../../../commands/stage/dismissals.ts';
import { openOrderTable } from '../../../core/aws/order-table.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { NO_OFFERS, openWorld, submit } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, slowProcessingSeconds: 20 } });
const table = world.outputs.OrderTable ?? '';

async function putIntoRecord(orderRef: string, changes: Partial<OrderItem>): Promise<void> {
  const before = await world.record(orderRef);
  await world.dynamodb.send(new PutCommand({ TableName: table, Item: { ...before, ...changes } }));
}

test('a change is dated after one that a machine made whose clock is ahead', async () => {
  await submit(world, 'ahead', { scenario: 'slow-processing' });
  await world.until('ahead', ({ status }) => status === 'IN_WORK');
  const ahead = world.clock.now() + 45_000;
  const changedAt = new Date(ahead).toISOString();
  await putIntoRecord('ahead', { changedAt });
  const next = await world.until('ahead', (order) => order.changedAt !== changedAt);
  expect(world.clock.now()).toBeLessThan(ahead);
  expect(Date.parse(next.changedAt)).toBe(ahead + 1);
});

test('an operator whose clock is behind does not date an order before its last change', async () => {
  const changedAt = new Date(Date.now() + 7_200_000).toISOString();
  await submit(world, 'brought-back', { scenario: 'slow-processing' });
  await world.until('brought-back', ({ status }) => status === 'IN_WORK');
  await putIntoRecord('brought-back', { changedAt, dismissed: { at: changedAt, by: 'an operator' } });
  const orders = openOrderTable(new DynamoDBClient(world.aws.clientSettings), table);
  await bringBack(orders, (await world.record('brought-back')) as OrderItem);
  expect(await world.record('brought-back')).toMatchObject({ waitingFor: 'operator', changedAt });
});
