import { expect, test } from 'vitest';
import { MOST_UNSENT, type Outbox, withOutbox } from '../../../../core/events/outbox.ts';

function afterChanges(count: number): Outbox {
  let outbox: Outbox = {};
  for (let change = 0; change < count; change += 1) {
    const named = { orderRef: 'o'.repeat(64), orderId: 'i'.repeat(64), ...outbox };
    const changed = { type: 'Order Status Changed', status: 'IN_WORK', previousStatus: 'OFFERS_APPROVED' } as const;
    outbox = { ...outbox, ...withOutbox(named, [changed], ['status.json']) };
  }
  return outbox;
}

test('an outbox that nobody empties keeps the newest events, and counts all', () => {
  const { eventCount, unsentEvents = [] } = afterChanges(MOST_UNSENT + 5);
  expect(eventCount).toBe(MOST_UNSENT + 5);
  expect(unsentEvents.map(({ detail }) => detail.sequence)).toEqual(
    Array.from({ length: MOST_UNSENT }, (_event, position) => position + 6),
  );
});

test('a full outbox leaves half of an item of DynamoDB to the order', () => {
  expect(JSON.stringify(afterChanges(MOST_UNSENT)).length).toBeLessThan(200_000);
});
