import { expect, inject, test } from 'vitest';
import { type BatchOptions, runBatch } from './batch.ts';
import { problemsWith, someOrders } from './every-fault.ts';

/** Functions share threads then. The command `npm run simulate` has wrong clocks too. */
const withRightClocks = (options: BatchOptions) => runBatch({ ...options, clocksAreRight: true });

test('orders get through faults of the service and of AWS, and need an operator only for a refusal or a creation of unknown outcome', async () => {
  expect(await problemsWith(someOrders, inject('assemblyDirectory'), withRightClocks)).toEqual([]);
}, 240_000);
