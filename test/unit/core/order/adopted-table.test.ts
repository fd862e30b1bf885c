import { expect, test } from 'vitest';
import { pauseIn } from '../../../../core/order/stage-pause.ts';

const resumed = { since: '2026-01-01T00:00:00.000Z', resumedAt: '2026-01-02T00:00:00.000Z' };

test.each([
  ['nobody has prepared it', undefined, true],
  ['its mark is that of the table that it was restored from', { to: resumed.since, table: 'orders' }, true],
  ['it was prepared before the stage used it only', { to: resumed.since }, true],
  ['it was prepared', { to: resumed.since, table: 'orders-restored' }, false],
])('an adopted table holds the orders of the stage unless it was prepared: %s', (_what, mark, holds) => {
  const held = expect.objectContaining({ by: 'the stack', reason: expect.stringContaining('orders-restored') });
  expect(pauseIn([undefined, mark], 'orders-restored')).toEqual(holds ? held : undefined);
  expect(pauseIn([resumed, mark], 'orders-restored')).toEqual(holds ? held : resumed);
  expect(pauseIn([resumed, mark], undefined)).toBe(resumed);
});
