import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { bringBack } from '../../../commands/stage/dismissals.ts';
import { openOrderTable } from '../../../core/aws/order-table.ts';
import type { OrderItem } from '../../../core/order/order-item.ts';
import { NO_OFFERS } from '../../helpers/offers.ts';
import { openWorld } from '../../helpers/open-world.ts';
import { submit } from '../../helpers/packages.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, slowProcessingSeconds: 20 } });
const table = world.outputs.OrderTable ?? '';

async function putIntoRecord(orderRef: string, changes: Partial<OrderItem>): Promise<void> {
  const before = await world.record(orderRef);
  await world.dynamodb.send(new PutCommand({ TableName: table, Item: { ...before, ...changes } }));
}

/**
 * Dates the order's last change as a machine would whose clock is ahead.
 * @returns the milliseconds at which the next change was dated after that, and the milliseconds at which it happened.
 */
async function nextAfterChangeAhead(orderRef: string, milliseconds: number) {
  await submit(world, orderRef, { scenario: 'slow-processing' });
  await world.until(orderRef, ({ status }) => status === 'IN_WORK');
  const ahead = world.clock.now() + milliseconds;
  const changedAt = new Date(ahead).toISOString();
  await putIntoRecord(orderRef, { changedAt });
  const next = await world.until(orderRef, (order) => order.changedAt !== changedAt);
  return { ahead, dated: Date.parse(next.changedAt), happened: world.clock.now() };
}

test('a change is dated after one that a machine made whose clock is ahead', async () => {
  const { ahead, dated, happened } = await nextAfterChangeAhead('seconds-ahead', 45_000);
  expect(happened).toBeLessThan(ahead);
  expect(dated).toBe(ahead + 1);
});

test('a time that is hours ahead is corrected by the next change', async () => {
  const { ahead, dated, happened } = await nextAfterChangeAhead('hours-ahead', 2 * 3_600_000);
  expect(happened).toBeLessThan(ahead);
  expect(dated).toBeLessThan(ahead);
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
