import { expect, inject, test } from 'vitest';
import { runBatch } from './batch.ts';
import { ordersWithEveryKind } from './plan/every-fault.ts';
import { problemsWith } from './try-every-fault.ts';

test('orders get through every kind of fault, and need an operator only for a creation of unknown outcome', async () => {
  expect(await problemsWith(ordersWithEveryKind(), inject('assemblyDirectory'), runBatch)).toEqual([]);
}, 240_000);
