import { expect, inject, test } from 'vitest';
import { type BatchOptions, runBatch } from './batch.ts';
import { someOrders } from './plan/every-fault.ts';
import { planOrder } from './plan/plan.ts';
import { problemsWith } from './try-every-fault.ts';

/** Functions share threads then. The command `npm run simulate` has wrong clocks too. */
const withRightClocks = (options: BatchOptions) => runBatch({ ...options, clocksAreRight: true });

test('orders get through faults of the service and of AWS, and need an operator only for a creation of unknown outcome', async () => {
  expect(await problemsWith(someOrders, inject('assemblyDirectory'), withRightClocks)).toEqual([]);
}, 240_000);

test('orders whose records go back by an hour are not created or confirmed twice, and all end', async () => {
  const plans = Array.from({ length: 4 }, (_order, at) => planOrder('2', `order-${at}`, ['restored-table']));
  const assemblyDirectory = inject('assemblyDirectory');
  const { violations, outcomes, injected } = await withRightClocks({ plans, assemblyDirectory });
  expect(violations).toEqual([]);
  expect(Object.keys(outcomes).filter((outcome) => !/^(CLOSED|VALIDATION_FAILED)$/.test(outcome))).toEqual([]);
  expect(Object.keys(injected).filter((what) => what.startsWith('restored: no record'))).not.toEqual([]);
}, 240_000);
