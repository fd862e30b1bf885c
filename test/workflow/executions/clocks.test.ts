import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { NO_OFFERS, openWorld } from '../../helpers/open-world.ts';

const world = await openWorld({ settings: { ...NO_OFFERS, slowProcessingSeconds: 20 } });

test('a change is dated after one that a machine made whose clock is ahead', async () => {
  const before = await world.submitUntil('ahead', ({ status }) => status === 'IN_WORK', {
    scenario: 'slow-processing',
  });
  const ahead = world.clock.now() + 45_000;
  const changedAt = new Date(ahead).toISOString();
  await world.dynamodb.send(new PutCommand({ TableName: world.outputs.OrderTable, Item: { ...before, changedAt } }));
  const next = await world.until('ahead', (order) => order.changedAt !== changedAt);
  expect(world.clock.now()).toBeLessThan(ahead);
  expect(Date.parse(next.changedAt)).toBe(ahead + 1);
});
